package codegen

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Text from servers may be hostile. It may try to end the comment, string, Markdown fence
// or page that contains it, or make code look different from what runs.

// invisible reports whether r is invisible but changes the meaning of a text for readers or
// models: bidi controls, tags, Hangul fillers. Joiners do not count, because several writing
// systems and emoji need them.
func invisible(r rune) bool {
	switch {
	case r == '\u200c', r == '\u200d':
		return false
	case r < 0x80:
		return false
	}
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point) || 0xE0000 <= r && r <= 0xE0FFF
}

// breaking reports whether r ends a line in some programs, or is a control character.
func breaking(r rune) bool {
	return unicode.Is(unicode.Cc, r) || r == '\u2028' || r == '\u2029'
}

// clean removes invisible characters, turns line ends into \n and other control
// characters into spaces, and trims the end of each line.
func clean(s string) string {
	if printable(s) {
		return strings.TrimSpace(s)
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\r':
			return '\n'
		case r == '\n', r == '\t':
			return r
		case breaking(r):
			return ' '
		case invisible(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t")
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// printable reports whether s is ASCII without control characters. Nearly all text is.
func printable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// breakouts escapes texts that end a comment, a <script> element or a Markdown fence.
var breakouts = strings.NewReplacer("*/", `*\/`, "</", `<\/`, "<!--", `<\!--`, "```", "'''")

// closed returns s with breakouts applied. It is fast for text without the first characters of breakouts.
func closed(s string) string {
	if !strings.ContainsAny(s, "*<`") {
		return s
	}
	return breakouts.Replace(s)
}

// inComment makes one cleaned line of server text safe in a comment. It escapes a
// leading @, which would be a tag: @deprecated marks the tool as deprecated, and
// @ts-expect-error causes an error in the module itself.
func inComment(line string) string {
	line = closed(line)
	if strings.HasPrefix(strings.TrimLeft(line, " \t*/"), "@") {
		return strings.Replace(line, "@", `\@`, 1)
	}
	return line
}

// quote returns s as a readable TypeScript string literal. Invisible characters are
// escaped.
func quote(s string) string {
	if printable(s) && !strings.ContainsAny(s, "\"\\<>&`") {
		return `"` + s + `"`
	}
	raw, err := json.Marshal(s)
	if err != nil {
		return `""` // impossible: every Go string can be marshalled
	}
	quoted := string(raw)
	if !strings.ContainsFunc(quoted, func(r rune) bool { return r == '`' || r >= 0x7f || r == '\\' }) {
		return quoted
	}
	var b strings.Builder
	for _, r := range plainHTML.Replace(quoted) {
		if r != '`' && !breaking(r) && !invisible(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// plainHTML reverts the HTML escapes of encoding/json, except those of a < that could end a
// <script> element. It skips escaped backslashes.
var plainHTML = strings.NewReplacer(`\\`, `\\`, `\u003c/`, `\u003c/`, `\u003c!`, `\u003c!`,
	`\u003c`, "<", `\u003e`, ">", `\u0026`, "&")
