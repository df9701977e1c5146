package approval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/toolscript/toolscript/internal/texts"
)

const (
	shownBefore = 1200 // bytes of long arguments before the part that is not shown
	shownAfter  = 800  // bytes after that part
	manySpaces  = 16   // spaces in a row that are replaced by their number: they could hide the rest
)

// ShownArgs returns the arguments of a call as a person sees them: JSON on one line, in which
// every character is visible. redact replaces known secrets by their names. Nothing else is
// replaced, because the person decides about what the call does.
//
// Invisible characters are escaped, and escapes of visible characters are decoded. A long row
// of spaces becomes their number, as in ⟨40 spaces⟩; such brackets in the arguments are
// escaped.
func ShownArgs(args json.RawMessage, redact func(string) string) string {
	var compact bytes.Buffer
	if json.Compact(&compact, args) != nil {
		return ""
	}
	return countSpaces(redact(plainStrings(compact.String())))
}

// CutArgs leaves out the middle of long arguments, and returns the number of bytes that are
// left out. The end stays, because a shell also runs what is at the end of a line.
func CutArgs(shown string) (text string, missing int) {
	return cutMiddle(shown, shownBefore, shownAfter)
}

// CutShort is CutArgs for a place with little room, such as a notification.
func CutShort(shown string) string {
	text, _ := cutMiddle(shown, 200, 150)
	return text
}

func cutMiddle(text string, before, after int) (cut string, missing int) {
	if len(text) <= before+after {
		return text, 0
	}
	begin, end := texts.Cut(text, before), texts.End(text, after)
	missing = len(text) - len(begin) - len(end)
	return fmt.Sprintf("%s⟨%d bytes are not shown⟩%s", begin, missing, end), missing
}

// plainStrings writes the strings of compact JSON with escapes for the characters that
// cannot be seen, and for no others.
func plainStrings(text string) string {
	var out strings.Builder
	quoted := false
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		escaped := quoted && r == '\\'
		if escaped {
			r, size = unescape(text[i:])
		}
		switch {
		case r == '"' && !escaped:
			quoted = !quoted
			out.WriteByte('"')
		case r == utf8.RuneError && size == 1, r == loneHalf: // not a character
			if escaped {
				out.WriteString(text[i : i+size])
			} else {
				out.WriteString(`\ufffd`)
			}
		default:
			writeSeen(&out, r)
		}
		i += size
	}
	return out.String()
}

// loneHalf stands for the escape of a lone surrogate, half of a character.
const loneHalf = -2

// unescape reads the escape at the beginning of a text.
func unescape(text string) (r rune, size int) {
	if len(text) < 2 {
		return loneHalf, len(text)
	}
	if at := strings.IndexByte(`bfnrt"\/`, text[1]); at >= 0 {
		return rune("\b\f\n\r\t\"\\/"[at]), 2
	}
	r, ok := hexEscape(text)
	if !ok {
		return loneHalf, 1
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if second, ok := hexEscape(text[6:]); ok {
		if pair := utf16.DecodeRune(r, second); pair != unicode.ReplacementChar {
			return pair, 12
		}
	}
	return loneHalf, 6
}

// hexEscape reads \uXXXX.
func hexEscape(text string) (rune, bool) {
	if len(text) < 6 || text[:2] != `\u` {
		return 0, false
	}
	n, err := strconv.ParseUint(text[2:6], 16, 16)
	return rune(n), err == nil
}

// writeSeen writes a character of a string, escaped if it is invisible.
func writeSeen(out *strings.Builder, r rune) {
	switch r {
	case '"', '\\':
		out.WriteByte('\\')
		out.WriteRune(r)
	case '\n':
		out.WriteString(`\n`)
	case '\t':
		out.WriteString(`\t`)
	case '\r':
		out.WriteString(`\r`)
	default:
		switch {
		case !unseen(r):
			out.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(out, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(out, `\u%04x\u%04x`, high, low)
		}
	}
}

// unseen reports whether a character is invisible, changes the direction of a text, looks
// like a space, or is one of the brackets of ShownArgs.
func unseen(r rune) bool {
	switch r {
	case ' ':
		return false
	case '⟨', '⟩', '\u2800': // \u2800 is the empty Braille pattern
		return true
	}
	return !unicode.IsGraphic(r) || unicode.IsSpace(r) || unicode.Is(unicode.Zs, r) ||
		unicode.In(r, unicode.Bidi_Control, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// countSpaces replaces long rows of spaces by their number.
func countSpaces(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); {
		row := len(text[i:]) - len(strings.TrimLeft(text[i:], " "))
		switch {
		case row >= manySpaces:
			fmt.Fprintf(&out, "⟨%d spaces⟩", row)
		case row > 0:
			out.WriteString(text[i : i+row])
		default:
			row = 1
			out.WriteByte(text[i])
		}
		i += row
	}
	return out.String()
}
