package oauth

import (
	"bytes"
	"html/template"
	"net/http"
)

// Page is what the browser shows at the end of a flow. It loads nothing: the
// address it stands at holds a code, which no other server is to learn of.
type Page struct {
	Title string
	Text  string
}

// Succeeded is the page of a login that is complete.
func Succeeded(server string) Page {
	return Page{"Authentication successful", "toolscript is logged in at " + server + ". You can close this window."}
}

// Unsuccessful is the page of a login that is not. Whatever is in err may come
// from the authorization server, or from who made the link.
func Unsuccessful(err error) Page {
	return Page{"Authentication Failed", printableText(err.Error()) + ". You can close this window and try again in the terminal."}
}

var page = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{{.Title}}</title>
<style>body{font:16px/1.5 sans-serif;max-width:36em;margin:4em auto;padding:0 1em}</style>
</head>
<body>
<h1>{{.Title}}</h1>
<p>{{.Text}}</p>
</body>
</html>
`))

// HTML is the page as text.
func (p Page) HTML() []byte {
	var b bytes.Buffer
	_ = page.Execute(&b, p) // a Buffer takes everything
	return b.Bytes()
}

// PageHeaders keep the address of a page, which has a code in it, and the page
// itself where they are.
var PageHeaders = map[string]string{
	"Content-Type":            "text/html; charset=utf-8",
	"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
	"Referrer-Policy":         "no-referrer",
	"Cache-Control":           "no-store",
	"X-Content-Type-Options":  "nosniff",
}

// Write answers a request with the page.
func (p Page) Write(w http.ResponseWriter, status int) {
	for name, value := range PageHeaders {
		w.Header().Set(name, value)
	}
	w.WriteHeader(status)
	_, _ = w.Write(p.HTML()) // a browser that has gone misses nothing
}
