package exec

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen/validate"
	"github.com/toolscript/toolscript/internal/texts"
)

// ParseArguments reads words such as repo=octo/cat and labels:='["bug"]' as one JSON object, and
// checks it against the schema of an object. The text of key=value becomes a string if the
// schema allows that, else the JSON value that it spells, or a list of one value. A single
// word that begins with { is the whole object. The value of key=@path and key:=@path is the
// content of a file; the path is relative to dir. The error says which word is wrong.
func ParseArguments(ctx context.Context, dir string, words []string, schema json.RawMessage) (json.RawMessage, error) {
	if len(words) == 1 && strings.HasPrefix(strings.TrimSpace(words[0]), "{") {
		return whole(ctx, words[0], schema)
	}
	p := parser{ctx: ctx, dir: dir, members: map[string]json.RawMessage{}, texts: map[string]string{}}
	if err := p.read(schema); err != nil {
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
	details, err := p.Check(ctx, schema, object)
	if err != nil {
		return nil, err
	}
	return object, wrong(details, p.describe)
}

// whole reads an argument object that is written as JSON.
func whole(ctx context.Context, text string, schema json.RawMessage) (json.RawMessage, error) {
	var object map[string]json.RawMessage
	if err := cmp.Or(texts.CheckUTF8([]byte(text)), json.Unmarshal([]byte(text), &object)); err != nil {
		return nil, fmt.Errorf("%.80q is no JSON object: %w", text, err)
	}
	return FitArguments(ctx, json.RawMessage(text), schema)
}

// FitArguments checks an object of arguments. Where the schema wants a list, a single value becomes a list of one.
func FitArguments(ctx context.Context, args, schema json.RawMessage) (json.RawMessage, error) {
	p := parser{ctx: ctx}
	details, err := p.Check(ctx, schema, args)
	if err != nil || len(details) == 0 {
		return args, err
	}
	if err := cmp.Or(p.read(schema), json.Unmarshal(args, &p.members)); err != nil {
		return nil, err
	}
	for key, value := range p.members {
		if _, known := p.properties[key]; !known || len(p.problems(key, value)) == 0 {
			continue
		}
		if list := p.listOf(key, value, true, value); list != nil {
			p.members[key] = list
		}
	}
	object, err := json.Marshal(p.members)
	if err != nil {
		return nil, err
	}
	return object, CheckArguments(ctx, object, schema)
}

// CheckArguments returns an error of kind Invalid that lists all mistakes in arguments, or nil.
func CheckArguments(ctx context.Context, args, schema json.RawMessage) error {
	details, err := new(validate.Validator).Check(ctx, schema, args)
	if err != nil {
		return err
	}
	return wrong(details, func(d toolscript.Detail) string { return d.Message })
}

// wrong returns the error for mistakes in arguments, or nil if there are none.
func wrong(details []toolscript.Detail, describe func(toolscript.Detail) string) error {
	if len(details) == 0 {
		return nil
	}
	var parts []string
	for _, d := range details {
		parts = append(parts, strings.TrimPrefix(strings.TrimPrefix(d.Path, "/")+": ", ": ")+describe(d))
	}
	return &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New(strings.Join(parts, "; ")), Details: details}
}

type parser struct {
	validate.Validator
	ctx        context.Context            //nolint:containedctx // context of one ParseArguments
	dir        string                     // folder of relative paths
	properties map[string]json.RawMessage // schemas of the parameters
	single     json.RawMessage            // schema of an object in which every parameter is optional
	members    map[string]json.RawMessage
	texts      map[string]string // strings written as key=text, by key
}

// read reads the schema of the arguments.
func (p *parser) read(schema json.RawMessage) (err error) {
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(schema, &whole); err != nil {
		return err
	}
	if properties := whole["properties"]; properties != nil {
		if err := json.Unmarshal(properties, &p.properties); err != nil {
			return err
		}
	}
	kept := map[string]json.RawMessage{"type": json.RawMessage(`"object"`)}
	for _, name := range []string{"$schema", "$id", "properties", "$defs", "definitions"} {
		if text := whole[name]; text != nil {
			kept[name] = text
		}
	}
	p.single, err = json.Marshal(kept)
	return err
}

func (p *parser) word(word string) error {
	key, text, found := strings.Cut(word, "=")
	key, isJSON := strings.CutSuffix(key, ":")
	switch {
	case word == "-":
		return errors.New("\"-\" takes all arguments from standard input: leave out the others")
	case !utf8.ValidString(word):
		return fmt.Errorf("%.80q is not UTF-8 text", word)
	case strings.HasPrefix(strings.TrimSpace(word), "{"):
		return fmt.Errorf("%.80q is no argument: a JSON object has all arguments; leave out the other words", word)
	case !found || !p.isName(key):
		return p.noArgument(word)
	}
	if _, again := p.members[key]; again {
		return fmt.Errorf("%.80q is given twice; write a list as %[1]s:='[\"a\",\"b\"]'", key)
	}
	text, from, err := p.text(key, text, isJSON)
	switch {
	case err != nil:
		return err
	case !isJSON:
		p.members[key] = p.value(key, text)
		return nil
	case json.Valid([]byte(text)):
		p.members[key] = json.RawMessage(text)
		return nil
	case from != "":
		return fmt.Errorf("the value of %.80q is not JSON: the file %.200q; a text is read with %[1]s=@PATH", key, from)
	}
	return fmt.Errorf("the value of %.80q is not JSON: %.80q; a text is written as key=text", key, text)
}

// isName reports whether the text before = is the name of a parameter: a text in the form
// of a name, or any name that the schema has.
func (p *parser) isName(key string) bool {
	_, declared := p.properties[key]
	return declared || key != "" && strings.IndexFunc(key, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.", r)
	}) < 0
}

// noArgument returns the error for a word without a name before =. If the word looks like
// YAML or code, the error shows the right form.
func (p *parser) noArgument(word string) error {
	key, text, cut := strings.Cut(word, ":")
	if _, declared := p.properties[key]; declared && cut {
		return fmt.Errorf("%.80q is no argument: write key=value, here %s=%s", word, key, toolscript.ShellWord(strings.TrimSpace(text)))
	}
	return fmt.Errorf("%.80q is no argument: write key=value, or key:=json, or all arguments as one JSON object: '{\"key\": \"value\"}'", word)
}

// value converts a text to the type of a parameter: to a string if the schema allows that, else to the
// JSON value that it spells. If neither fits, it returns the form for which the error is clearer.
func (p *parser) value(key, text string) json.RawMessage {
	asString, _ := json.Marshal(text) // a string always encodes
	if wrong := p.wrongText(key, asString); len(wrong) > 0 {
		asJSON := json.RawMessage(text)
		isJSON := json.Valid(asJSON)
		if isJSON && len(p.problems(key, asJSON)) == 0 {
			return asJSON
		}
		if list := p.listOf(key, asJSON, isJSON, asString); list != nil {
			return list
		}
		if isJSON && slices.ContainsFunc(wrong, gotString) {
			return asJSON
		}
	}
	p.texts[key] = text
	return asString
}

// listOf returns a list of the one value that the schema accepts, or nil if there is no
// such list or the value is a list already.
func (p *parser) listOf(key string, asJSON json.RawMessage, isJSON bool, asString json.RawMessage) json.RawMessage {
	items := []json.RawMessage{asString}
	if isJSON {
		items = []json.RawMessage{asJSON, asString}
	}
	for _, item := range items {
		list := json.RawMessage("[" + string(item) + "]")
		if !bytes.HasPrefix(bytes.TrimSpace(asJSON), []byte("[")) && len(p.problems(key, list)) == 0 {
			return list
		}
	}
	return nil
}

// wrongText returns the mistakes in a string value of a known parameter.
func (p *parser) wrongText(key string, asString json.RawMessage) []toolscript.Detail {
	if _, known := p.properties[key]; !known {
		return nil
	}
	return p.problems(key, asString)
}

// problems returns the mistakes in the value of one parameter. A schema that cannot be
// applied refuses nothing.
func (p *parser) problems(key string, value json.RawMessage) []toolscript.Detail {
	object, err := json.Marshal(map[string]json.RawMessage{key: value})
	if err != nil {
		return nil
	}
	details, err := p.Check(p.ctx, p.single, object)
	if err != nil {
		return nil
	}
	return details
}

// gotString reports whether a mistake is a string in the place of a value of another type.
func gotString(d toolscript.Detail) bool { return strings.HasSuffix(d.Message, gotText) }

const gotText = ", got string"

// describe describes a mistake in a member, and quotes the text that the user gave.
func (p *parser) describe(d toolscript.Detail) string {
	text, given := p.texts[strings.TrimPrefix(d.Path, "/")]
	if !given || !gotString(d) {
		return d.Message
	}
	message := fmt.Sprintf("%s, got the text %.80q", strings.TrimSuffix(d.Message, gotText), text)
	for kind, example := range map[string]string{"array": `[…]`, "object": `{…}`} {
		if strings.Contains(message, "expected "+kind) {
			message += fmt.Sprintf("; write it as JSON: %s:='%s'", strings.TrimPrefix(d.Path, "/"), example)
		}
	}
	return message
}
