package mcpclient

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

const (
	maxWords  = 2000 // bytes kept of one text of a server
	maxRaw    = 4 * maxWords
	minSecret = 8 // shorter values may occur in other words
)

// escapes matches the terminal sequences of ECMA-48: CSI, OSC, and the short ones.
var escapes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])`)
})

// printable makes a server's text safe for logs, terminals and errors: one line of
// limited length, without control sequences or invisible characters.
func printable(text string) string {
	text = text[:min(len(text), maxRaw)]
	text = escapes().ReplaceAllLiteralString(strings.ToValidUTF8(text, "\uFFFD"), "")
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

// redactor makes text printable and replaces the secrets of the configuration.
// Servers do print their tokens, and their output is shown in states, logs and
// errors. The zero value replaces nothing.
type redactor struct{ secrets *strings.Replacer }

// newRedactor takes a map from placeholders to secret values.
func newRedactor(secrets map[string]string) redactor { return redactor{Replacer(secrets)} }

// Replacer replaces secrets by their placeholders, also in the encoded forms that messages
// have. It is nil if there are none.
func Replacer(secrets map[string]string) *strings.Replacer {
	var pairs []string
	shown := slices.Sorted(maps.Keys(secrets))
	slices.SortStableFunc(shown, func(a, b string) int { return len(secrets[b]) - len(secrets[a]) }) // longest first: a secret may contain another
	for _, name := range shown {
		if value := secrets[name]; len(value) >= minSecret {
			pairs = append(pairs, value, name)
			for _, form := range encoded(value) {
				pairs = append(pairs, form, name)
			}
		}
	}
	if pairs == nil {
		return nil
	}
	return strings.NewReplacer(pairs...)
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

func (c redactor) clean(text string) string {
	if c.secrets != nil {
		text = c.secrets.Replace(text[:min(len(text), maxRaw)])
	}
	return printable(text)
}
