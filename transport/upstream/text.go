package upstream

import (
	"maps"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/texts"
)

// MaxRaw is how many bytes of one text of a server are looked at.
const MaxRaw = 4 * maxWords

const (
	maxWords = 2000 // bytes kept of one text of a server
	maxQuote = 200  // bytes of the beginning of a message in an error
)

// escapes matches the terminal sequences of ECMA-48: CSI, OSC, and the short ones.
var escapes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])`)
})

// Printable makes a server's text safe for logs, terminals and errors: one line of
// limited length, without control sequences or invisible characters.
func Printable(text string) string {
	text = text[:min(len(text), MaxRaw)]
	text = escapes().ReplaceAllLiteralString(strings.ToValidUTF8(text, "\uFFFD"), "")
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case toolscript.Hidden(r):
			return -1
		}
		return r
	}, text)
	return texts.Short(strings.TrimSpace(text), maxWords)
}

// secrets returns the secret values of a configuration, by placeholder.
func secrets(cfg Config) map[string]string {
	all := make(map[string]string)
	maps.Copy(all, cfg.Secrets)
	for name, value := range cfg.Env {
		all["${"+name+"}"] = value
	}
	for name, value := range cfg.Headers {
		all["(header "+name+")"] = value
		if _, token, ok := strings.Cut(value, " "); ok { // as in "Bearer TOKEN"
			all["(token of "+name+")"] = token
		}
	}
	if u, err := url.Parse(cfg.URL); err == nil {
		all["(url password)"], _ = u.User.Password()
		for name, values := range u.Query() {
			all["(url "+name+")"] = values[0]
		}
	}
	return all
}

// Printable makes a text printable and replaces secrets. A text of MaxRaw bytes or more counts as
// cut off.
func (c Redactor) Printable(text string) string {
	if len(text) >= MaxRaw {
		return c.PrintableCut(text[:MaxRaw])
	}
	return Printable(c.secrets.Replace(text))
}

// PrintableCut is like Printable, for a text whose end is missing, and perhaps with it a part of a secret.
func (c Redactor) PrintableCut(text string) string { return Printable(c.secrets.ReplaceCut(text)) }

// Quote returns the beginning of a message of the server, without secrets.
func (c Redactor) Quote(message []byte) string {
	if len(message) == 0 {
		return "neither result nor error"
	}
	if most := 4 * maxQuote; len(message) > most {
		return texts.Short(redactText(c.PrintableCut(string(message[:most]))), maxQuote)
	}
	return texts.Short(redactText(c.Printable(string(message))), maxQuote)
}
