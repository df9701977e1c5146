package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/rawjson"
)

func invalid(format string, args ...any) error {
	return &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf(format, args...)}
}

// jsonKinds maps the first byte of a JSON value to the name of its type.
var jsonKinds = map[byte]string{
	'[': "an array", '"': "a string", 't': "a boolean", 'f': "a boolean", 'n': "null", '-': "a number",
	'0': "a number", '1': "a number", '2': "a number", '3': "a number", '4': "a number",
	'5': "a number", '6': "a number", '7': "a number", '8': "a number", '9': "a number",
}

const jsonSpace = " \t\r\n"

// parseObject returns the JSON object that body consists of, as a subslice of body, or nil
// if body is empty.
func parseObject(body []byte) (json.RawMessage, error) {
	body = rawjson.TrimMark(body)
	text := bytes.Trim(body, jsonSpace)
	switch {
	case len(text) == 0:
		return nil, nil
	case !utf8.Valid(text):
		return nil, invalid("the body is not UTF-8")
	case text[0] == '{' && json.Valid(text):
		return text, nil
	default:
		return nil, notAnObject(body)
	}
}

// notAnObject returns the error for a body that is not one JSON object.
func notAnObject(body []byte) error {
	dec := json.NewDecoder(bytes.NewReader(body))
	var value json.RawMessage
	if err := dec.Decode(&value); err != nil {
		return syntaxError(err, body)
	}
	if kind, other := jsonKinds[value[0]]; other {
		return invalid("the body must be a JSON object, not %s", kind)
	}
	rest := bytes.TrimLeft(body[dec.InputOffset():], jsonSpace)
	return invalid("the body has text after its JSON object, at byte %d", len(body)-len(rest)+1)
}

// syntaxError returns the error for invalid JSON, with the position in text.
func syntaxError(err error, text []byte) error {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return invalid("the body is not JSON: it ends early")
	}
	before := text[:min(int(syntax.Offset), len(text))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := max(1, len(before)-(bytes.LastIndexByte(before, '\n')+1))
	return invalid("the body is not JSON: %w (line %d, column %d)", syntax, line, column)
}

// decode decodes the JSON object in body into v. Unknown members are errors: a misspelt
// limit would have no effect.
func decode(body []byte, v any) error {
	object, err := parseObject(body)
	if err != nil {
		return err
	}
	if object == nil {
		return invalid("the body is empty; send a JSON object")
	}
	dec := json.NewDecoder(bytes.NewReader(object))
	dec.DisallowUnknownFields()
	err = dec.Decode(v)
	var mistyped *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &mistyped):
		return mistypedError(mistyped)
	default:
		return invalid("the body is wrong: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
}

func mistypedError(err *json.UnmarshalTypeError) error {
	path := "/" + strings.ReplaceAll(err.Field, ".", "/")
	message := fmt.Sprintf("is of the wrong type (%s)", err.Value)
	return &toolscript.Error{
		Kind:    toolscript.Invalid,
		Err:     fmt.Errorf("the body is wrong at %s: it %s", path, message),
		Details: []toolscript.Detail{{Path: path, Message: message}},
	}
}
