package mcpclient

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxWords  = 2000 // bytes kept of one thing that a server says
	maxRaw    = 4 * maxWords
	minSecret = 8 // shorter values occur in words that mean something else
)

// escapes are the terminal sequences of ECMA-48: CSI, OSC, and the short ones.
var escapes = regexp.MustCompile(`\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])`)

// printable makes a server's words fit for a log, a terminal and an error: one
// line, of bounded length, that neither moves the cursor nor hides anything.
func printable(text string) string {
	text = text[:min(len(text), maxRaw)]
	text = escapes.ReplaceAllLiteralString(strings.ToValidUTF8(text, "\uFFFD"), "")
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, text)
	text = strings.TrimSpace(text)
	if len(text) <= maxWords {
		return text
	}
	cut := maxWords
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

// cleaner makes words printable and takes out what the configuration gave the
// server to keep: servers do print their tokens, and what they print
// is shown in states, logs and errors. The zero value takes nothing out.
type cleaner struct{ secrets *strings.Replacer }

// newCleaner takes the values of secrets, each by what is shown in its place.
func newCleaner(secrets map[string]string) cleaner {
	var pairs []string
	for shown, value := range secrets {
		if len(value) >= minSecret {
			pairs = append(pairs, value, shown)
		}
	}
	if pairs == nil {
		return cleaner{}
	}
	return cleaner{strings.NewReplacer(pairs...)}
}

// secrets are what a configuration gives a server to keep.
func secrets(cfg Config) map[string]string {
	all := make(map[string]string)
	for name, value := range cfg.Env {
		all["${"+name+"}"] = value
	}
	for name, value := range cfg.Headers {
		all["(header "+name+")"] = value
		if _, token, ok := strings.Cut(value, " "); ok { // Bearer TOKEN
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

func (c cleaner) clean(text string) string {
	if c.secrets != nil {
		text = c.secrets.Replace(text[:min(len(text), maxRaw)])
	}
	return printable(text)
}
