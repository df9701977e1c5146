package api

//go:generate go run ../../release/generate modules

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"path"
	"sync"

	"github.com/toolscript/toolscript/internal/texts"
)

//go:embed index.html assets
var files embed.FS

// PageHeaders are the HTTP headers of each file. With them, the browser loads nothing from
// elsewhere and runs only the scripts of the page, and no text can become HTML in a script.
var PageHeaders = map[string]string{
	"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Referrer-Policy":              "no-referrer",
	"X-Content-Type-Options":       "nosniff",
}

// PageFile is one file of the operator page.
//
// The page has no build step. preact.mjs and htm.mjs are files of the npm packages of
// the same names, unchanged (task modules compares them); their licences are in the
// folder licenses.
type PageFile struct {
	Type string // media type
	ETag string
	Text []byte
	Gzip []byte
}

// PageIndex returns the HTML of the page.
var PageIndex = sync.OnceValue(func() PageFile { return load("index.html") })

// assets returns the other files by name.
var assets = sync.OnceValue(func() map[string]PageFile {
	entries, _ := files.ReadDir("assets") // it is embedded
	all := map[string]PageFile{}
	for _, e := range entries {
		all[e.Name()] = load("assets/" + e.Name())
	}
	return all
})

// PageAsset returns a script, a style sheet or a picture of the page by its name.
func PageAsset(name string) (PageFile, bool) {
	f, ok := assets()[name]
	return f, ok
}

// mediaTypes maps the suffix of a file name to the media type.
var mediaTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".mjs":  "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

func load(name string) PageFile {
	text, _ := files.ReadFile(name) // it is embedded
	hash := sha256.Sum256(text)
	var zipped bytes.Buffer
	w, _ := gzip.NewWriterLevel(&zipped, gzip.BestCompression) // the level is valid
	_, _ = w.Write(text)                                       // writes to a Buffer do not fail
	_ = w.Close()                                              // as above
	return PageFile{Type: mediaTypes[path.Ext(name)], ETag: `"` + hex.EncodeToString(hash[:8]) + `"`, Text: text, Gzip: zipped.Bytes()}
}

const notice = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%[1]s · toolscript</title>
<link rel="icon" href="/dashboard/assets/icon.svg">
<link rel="stylesheet" href="/dashboard/assets/page.css">
</head>
<body>
<main class="notice">
<h1>%[1]s</h1>
<p>%[2]s</p>
<p>Run this command:</p>
<pre>%[3]s</pre>
</main>
</body>
</html>
`

// PageNotice returns an HTML page with a text and the next command.
func PageNotice(title, text, command string) []byte {
	return []byte(texts.HTML(notice, title, text, command))
}
