package mcpclient

import (
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

// cleaner makes words printable and takes out what the configuration put into
// the server's environment: servers do print their tokens, and what they print
// is shown in states, logs and errors. The zero value takes nothing out.
type cleaner struct{ secrets *strings.Replacer }

func newCleaner(env map[string]string) cleaner {
	var pairs []string
	for name, value := range env {
		if len(value) >= minSecret {
			pairs = append(pairs, value, "${"+name+"}")
		}
	}
	if pairs == nil {
		return cleaner{}
	}
	return cleaner{strings.NewReplacer(pairs...)}
}

func (c cleaner) clean(text string) string {
	if c.secrets != nil {
		text = c.secrets.Replace(text[:min(len(text), maxRaw)])
	}
	return printable(text)
}
