package rawjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tailscale/hujson"
)

// SyntaxError reports the first position at which a text is not JSON. Its message contains at most
// one character of the text.
type SyntaxError struct {
	Offset  int // offset of the wrong byte; the length of the text if the text ends too early
	Message string
}

func (e *SyntaxError) Error() string { return e.Message }

// ParseCommented parses JSON with comments and with commas after the last item, as in the settings of
// editors. For a text of only blanks and comments, the Value in the result is nil. The error is a
// *SyntaxError.
func ParseCommented(text []byte) (hujson.Value, error) {
	if at := tooDeep(text); at >= 0 {
		return hujson.Value{}, &SyntaxError{at, "exceeded max depth"}
	}
	ended := append(bytes.Clone(text), '\n') // hujson wants a line break after a comment
	if hujson.Extra(ended).IsValid() {
		return hujson.Value{BeforeExtra: ended[:len(text)]}, nil
	}
	v, err := hujson.Parse(ended)
	if err == nil {
		v.AfterExtra = v.AfterExtra[:len(v.AfterExtra)-1]
		return v, nil
	}
	return hujson.Value{}, explained(text, err)
}

// explained converts an error of hujson to a SyntaxError. The text of that error has the position, and may
// contain a whole literal.
func explained(text []byte, err error) *SyntaxError {
	var line, column int
	_, _ = fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &line, &column) // each error of hujson begins like this
	start := 0
	for range line - 1 {
		start += bytes.IndexByte(text[start:], '\n') + 1
	}
	at := min(start+column-1, len(text))
	switch reason := errors.Unwrap(err); {
	case errors.Is(err, io.ErrUnexpectedEOF) && bytes.HasPrefix(text[at:], []byte("/*")):
		return &SyntaxError{at, "invalid character '/' at start of value"}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &SyntaxError{len(text), "unexpected end of JSON input"}
	case strings.HasPrefix(reason.Error(), "invalid literal"):
		var syntax *json.SyntaxError
		if errors.As(json.Unmarshal(text[at:], new(json.RawMessage)), &syntax) {
			return &SyntaxError{at + int(syntax.Offset) - 1, syntax.Error()}
		}
		return &SyntaxError{at, "invalid value"}
	default:
		return &SyntaxError{at, reason.Error()}
	}
}

// WithoutComments converts a text that ParseCommented accepts to JSON. It returns nil for any other text,
// and for a text without a value.
func WithoutComments(text []byte) []byte {
	v, err := ParseCommented(TrimMark(text))
	if err != nil || v.Value == nil {
		return nil
	}
	v.Standardize()
	return v.Pack()
}

// tooDeep returns the offset of the bracket that exceeds MaxDepth levels, or -1. hujson has no
// limit, and a stack that overflows ends the process.
func tooDeep(text []byte) int {
	depth := 0
	for at := 0; at < len(text); at++ {
		switch text[at] {
		case '"':
			at = endOfString(text, at) - 1
		case '/':
			at = max(at, EndOfComment(text, at)-1)
		case '{', '[':
			if depth++; depth > MaxDepth {
				return at
			}
		case '}', ']':
			depth--
		}
	}
	return -1
}

func endOfString(text []byte, at int) int {
	for at++; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return len(text)
}

// EndOfComment returns the offset after the comment that starts at offset at; 0 if no comment starts there,
// or if the comment is not closed.
func EndOfComment(text []byte, at int) int {
	switch rest := text[at:]; {
	case bytes.HasPrefix(rest, []byte("//")):
		if end := bytes.IndexByte(rest, '\n'); end >= 0 {
			return at + end
		}
		return len(text)
	case bytes.HasPrefix(rest, []byte("/*")):
		if end := bytes.Index(rest[2:], []byte("*/")); end >= 0 {
			return at + 2 + end + 2
		}
	}
	return 0
}
