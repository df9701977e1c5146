// Package form has the forms of the output of commands: a text for people, or a value
// for programs as JSON or YAML.
package form

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
)

// Form is how a command prints. The zero value is a table or another text.
type Form string

// The forms. Types is a form of search only.
const (
	Table Form = "table"
	Types Form = "types"
	JSON  Form = "json"
	YAML  Form = "yaml"
)

// Add adds -o table|json|yaml, and --json as the short form of -o json. more are
// forms that only this command has.
func Add(f *pflag.FlagSet, to *Form, usage string, more ...Form) {
	forms := append([]Form{Table}, append(more, JSON, YAML)...)
	f.VarP(formFlag{to, forms}, "output", "o", "the form of the output")
	f.Var(jsonFlag{to}, string(JSON), usage+"; short for -o json")
	f.Lookup(string(JSON)).NoOptDefVal = "true"
}

// Structured reports whether the output is for programs.
func (f Form) Structured() bool { return f == JSON || f == YAML }

// Write prints a value for programs: JSON on one line, or a YAML document.
func (f Form) Write(w io.Writer, value any) error {
	if f == YAML {
		return WriteYAML(w, value)
	}
	return WriteJSON(w, value)
}

// WriteJSON writes a value on one line, as the gateway does. HTML characters are not
// escaped.
func WriteJSON(w io.Writer, value any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(value)
}

// WriteYAML writes the JSON of a value as YAML. The members have the names and the order
// of the JSON, and numbers keep their digits.
func WriteYAML(w io.Writer, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return fmt.Errorf("the output cannot be written as YAML: %w", err)
	}
	blockStyle(&doc)
	var out bytes.Buffer // the encoder hides the errors of a writer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := errors.Join(enc.Encode(&doc), enc.Close()); err != nil {
		return fmt.Errorf("the output cannot be written as YAML: %w", err)
	}
	_, err = w.Write(out.Bytes())
	return err
}

// blockStyle removes the braces and quotes of JSON. A string keeps its quotes where YAML
// needs them.
func blockStyle(n *yaml.Node) {
	switch {
	case n.Kind != yaml.ScalarNode && len(n.Content) > 0, n.Tag != "!!str":
		n.Style = 0
	case strings.Contains(n.Value, "\n"):
		n.Style = yaml.LiteralStyle // the encoder quotes texts that cannot have it
	default:
		var plain yaml.Node       // quotes also the words that YAML 1.1 reads as true and false
		_ = plain.Encode(n.Value) // a string can always be encoded
		n.Style = plain.Style
	}
	for _, child := range n.Content {
		blockStyle(child)
	}
}

// formFlag is --output.
type formFlag struct {
	to    *Form
	forms []Form
}

func (f formFlag) String() string {
	if f.to == nil || *f.to == "" {
		return string(Table)
	}
	return string(*f.to)
}

func (f formFlag) Type() string { return f.names("|") }

func (f formFlag) names(separator string) string {
	var names []string
	for _, form := range f.forms {
		names = append(names, string(form))
	}
	return strings.Join(names, separator)
}

func (f formFlag) Set(text string) error {
	chosen := Form(strings.ToLower(text))
	if !slices.Contains(f.forms, chosen) {
		return fmt.Errorf("want one of %s", f.names(", "))
	}
	*f.to = chosen
	return nil
}

// jsonFlag is --json.
type jsonFlag struct{ to *Form }

func (j jsonFlag) String() string { return "" }
func (j jsonFlag) Type() string   { return "bool" }

func (j jsonFlag) Set(text string) error {
	on, err := strconv.ParseBool(text)
	switch {
	case err != nil:
		return errors.New("want true or false")
	case on:
		*j.to = JSON
	case *j.to == JSON:
		*j.to = Table
	}
	return nil
}
