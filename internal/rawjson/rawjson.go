// Package rawjson reads JSON in ways that encoding/json does not support. Object and Reader return
// the parts of a value without copying them. A Scanner reads the tokens of a text in order. A Meter
// measures the nesting depth of a text that arrives in pieces, without recursion. ParseCommented
// parses JSON with comments and trailing commas, which people write in configuration files.
package rawjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// lenient are the options with which jsontext accepts the same texts as encoding/json.
var lenient = []jsontext.Options{jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)}

// Valid reports whether text is one JSON value, as json.Valid does, in a third of its
// time.
func Valid(text []byte) bool { return jsontext.Value(text).IsValid(lenient...) }

// Compact returns a JSON value without spaces between its parts. It may change text. It
// returns false if text is not one JSON value.
func Compact(text []byte) ([]byte, bool) {
	v := jsontext.Value(text)
	err := v.Compact(lenient...)
	return v, err == nil
}

// Unquote returns the text of a string literal, with U+FFFD for bytes that are not
// UTF-8. literal must be a valid JSON string.
func Unquote(literal []byte) []byte {
	return AppendUnquoted(make([]byte, 0, len(literal)-2), literal)
}

// AppendUnquoted appends the result of Unquote to a slice.
func AppendUnquoted(to, literal []byte) []byte {
	to, _ = jsontext.AppendUnquote(to, literal) // the only error is about bytes that are not UTF-8
	return to
}

// Object calls member for each member of a JSON object. The values are slices of
// text. It returns false if text is not one valid JSON object. It finds out about an
// error in text only when it reads that part, after it has called member for the parts before.
func Object(text []byte, member func(name string, value json.RawMessage)) bool {
	is := false
	err := Read(text, func(r *Reader) {
		is = r.Object(func(name string) {
			if value := r.Value(); value != nil {
				member(name, value)
			}
		})
	})
	return is && err == nil
}

// A Reader reads one JSON value in one pass, which also validates it.
type Reader struct {
	text    []byte
	source  bytes.Buffer // reader of text
	decoder jsontext.Decoder
	err     error // the first error
}

var readers = sync.Pool{New: func() any { return new(Reader) }}

var errMore = errors.New("text follows the value")

// Read calls read for the value in text. It returns an error if text is not one JSON value;
// the caller must then discard partial results. Parts that read does not read are skipped.
func Read(text []byte, read func(*Reader)) error {
	r := readers.Get().(*Reader)
	r.text, r.source = text, *bytes.NewBuffer(text)
	r.decoder.Reset(&r.source, lenient...)
	r.either(func() { read(r) })
	if r.err == nil {
		switch _, err := r.decoder.ReadToken(); {
		case err == nil:
			r.err = errMore
		case !errors.Is(err, io.EOF):
			r.err = err
		}
	}
	err := r.err
	r.text, r.source, r.err = nil, bytes.Buffer{}, nil // the pool must not keep the text
	r.decoder.Reset(&r.source)
	readers.Put(r)
	return err
}

// Value returns the next value, a slice of the text; nil after an error.
func (r *Reader) Value() json.RawMessage {
	value, err := r.decoder.ReadValue()
	if err != nil {
		r.fail(err)
		return nil
	}
	end := r.decoder.InputOffset()
	return json.RawMessage(r.text[end-int64(len(value)) : end : end])
}

// Object calls member with the name of each member of the next value. member may read
// the value. It returns false, and reads nothing, if the next value is not an object.
func (r *Reader) Object(member func(name string)) bool {
	return r.container('{', func() {
		if name := r.Value(); name != nil {
			r.either(func() { member(nameOf(unquoted(name))) })
		}
	})
}

// Array calls item for each item of the next value. item may read it. It returns false,
// and reads nothing, if the next value is not an array.
func (r *Reader) Array(item func()) bool {
	return r.container('[', func() { r.either(item) })
}

// Text calls read, which reads the next value, and returns the JSON text of that value.
func (r *Reader) Text(read func()) json.RawMessage {
	rest := r.text[r.decoder.InputOffset():]
	begin := len(r.text) - len(bytes.TrimLeft(rest, " \t\r\n:,"))
	if r.either(read); r.err != nil {
		return nil
	}
	end := r.decoder.InputOffset()
	return json.RawMessage(r.text[begin:end:end])
}

// container calls part for each part of the next value, if the value is of the given kind: an object or
// an array.
func (r *Reader) container(kind jsontext.Kind, part func()) bool {
	if r.err != nil || r.decoder.PeekKind() != kind {
		return false
	}
	_, err := r.decoder.ReadToken()
	for r.fail(err); r.err == nil; {
		if next := r.decoder.PeekKind(); next == '}' || next == ']' {
			_, err := r.decoder.ReadToken()
			r.fail(err)
			break
		}
		part()
	}
	return true
}

// either calls read. If read has not read the next value, either skips the value.
func (r *Reader) either(read func()) {
	before := r.decoder.InputOffset()
	if read(); r.err == nil && r.decoder.InputOffset() == before {
		r.Value() // SkipValue takes longer
	}
}

func (r *Reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// nameOf returns string(name), without an allocation for the names in most messages.
func nameOf(name []byte) string {
	switch string(name) {
	case "jsonrpc":
		return "jsonrpc"
	case "id":
		return "id"
	case "result":
		return "result"
	case "content":
		return "content"
	case "structuredContent":
		return "structuredContent"
	case "isError":
		return "isError"
	case "_meta":
		return "_meta"
	case "type":
		return "type"
	case "text":
		return "text"
	}
	return string(name)
}

// unquoted returns the text of a string literal, without a copy if possible.
func unquoted(literal []byte) []byte {
	if inner := literal[1 : len(literal)-1]; bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return inner
	}
	return Unquote(literal)
}
