// Package arguments reads the arguments of a call from words of a command line: key=value
// and key:=json.
package arguments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen/validate"
)

// Parse reads words such as repo=octo/cat and labels:='["bug"]' as one JSON object, and
// checks it against a schema of an object. The text of key=value is a string if the schema
// allows that, else the JSON that it is. The error says which word is wrong.
func Parse(ctx context.Context, words []string, schema json.RawMessage) (json.RawMessage, error) {
	p := parser{ctx: ctx, members: map[string]json.RawMessage{}}
	if err := json.Unmarshal(schema, &p.schema); err != nil {
		return nil, fmt.Errorf("the schema of the parameters: %w", err)
	}
	for _, word := range words {
		if err := p.word(word); err != nil {
			return nil, err
		}
	}
	object, err := json.Marshal(p.members)
	if err != nil {
		return nil, err
	}
	return object, Check(ctx, object, schema)
}

// Check returns an error of kind Invalid that lists what is wrong with arguments.
func Check(ctx context.Context, args, schema json.RawMessage) error {
	details, err := new(validate.Validator).Check(ctx, schema, args)
	if err != nil || len(details) == 0 {
		return err
	}
	var parts []string
	for _, d := range details {
		parts = append(parts, strings.TrimPrefix(strings.TrimPrefix(d.Path, "/")+": ", ": ")+d.Message)
	}
	return &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New(strings.Join(parts, "; ")), Details: details}
}

type parser struct {
	ctx    context.Context //nolint:containedctx // of one Parse
	schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Defs       json.RawMessage            `json:"$defs"`
	}
	members map[string]json.RawMessage
}

func (p *parser) word(word string) error {
	key, text, found := strings.Cut(word, "=")
	if !found || key == "" || key == ":" {
		return fmt.Errorf("%.80q is no argument: write key=value, or key:=json", word)
	}
	key, isJSON := strings.CutSuffix(key, ":")
	if _, again := p.members[key]; again {
		return fmt.Errorf("%.80q is given twice; write a list as %[1]s:='[\"a\",\"b\"]'", key)
	}
	if isJSON {
		if !json.Valid([]byte(text)) {
			return fmt.Errorf("the value of %.80q is not JSON: %.80q; a text is written as key=text", key, text)
		}
		p.members[key] = json.RawMessage(text)
		return nil
	}
	p.members[key] = p.value(key, text)
	return nil
}

// value returns a text as the type of a parameter: as a string if that fits or if nothing
// fits, else as JSON.
func (p *parser) value(key, text string) json.RawMessage {
	asString, _ := json.Marshal(text) // a string always encodes
	property, known := p.schema.Properties[key]
	if !known || !json.Valid([]byte(text)) || p.fits(property, asString) || !p.fits(property, json.RawMessage(text)) {
		return asString
	}
	return json.RawMessage(text)
}

// fits reports whether a value fits a parameter. Schemas of arguments are schemas of
// objects, so the parameter is the member of one.
func (p *parser) fits(property, value json.RawMessage) bool {
	whole := map[string]any{"type": "object", "properties": map[string]any{"value": property}}
	if p.schema.Defs != nil {
		whole["$defs"] = p.schema.Defs
	}
	schema, err := json.Marshal(whole)
	if err != nil {
		return false
	}
	object, err := json.Marshal(map[string]any{"value": value})
	if err != nil {
		return false
	}
	return Check(p.ctx, object, schema) == nil
}
