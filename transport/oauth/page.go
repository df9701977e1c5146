package oauth

import (
	"net/http"

	"github.com/toolscript/toolscript/internal/texts"
)

// Page is the page that the browser shows at the end of a flow. It loads no resources, because they
// could send the URL of the page, which contains a code, to other servers.
type Page struct {
	Title string
	Text  string
}

// Succeeded returns the page for a completed login.
func Succeeded(server string) Page {
	return Page{"Authentication successful", "toolscript is logged in at " + server + ". You can close this window."}
}

// Unsuccessful returns the page for a failed login. The error may contain text of the
// authorization server, or of a forged link.
func Unsuccessful(err error) Page {
	return Page{"Authentication Failed", printableText(err.Error()) + ". You can close this window and try again in the terminal."}
}

const page = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>%[1]s</title>
<style>body{font:16px/1.5 sans-serif;max-width:36em;margin:4em auto;padding:0 1em}</style>
</head>
<body>
<h1>%[1]s</h1>
<p>%[2]s</p>
</body>
</html>
`

// HTML renders the page.
func (p Page) HTML() []byte { return []byte(texts.HTML(page, p.Title, p.Text)) }

// PageHeaders are the headers of a Page. They prevent the browser from sending the URL, which contains a
// code, to other servers, and from caching the page.
var PageHeaders = map[string]string{
	"Content-Type":            "text/html; charset=utf-8",
	"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
	"Referrer-Policy":         "no-referrer",
	"Cache-Control":           "no-store",
	"X-Content-Type-Options":  "nosniff",
}

// Write sends the page as the answer of a request.
func (p Page) Write(w http.ResponseWriter, status int) {
	for name, value := range PageHeaders {
		w.Header().Set(name, value)
	}
	w.WriteHeader(status)
	_, _ = w.Write(p.HTML()) // the browser may have disconnected
}
