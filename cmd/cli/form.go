package cli

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

// form is how a command prints: a table or another text for people, or a value for
// programs. The zero value is the text.
type form string

const (
	formTable = "table"
	formTypes = "types"
	formJSON  = "json"
	formYAML  = "yaml"
)

// addForm adds -o table|json|yaml, and --json as the short form of -o json. more are
// forms that only this command has.
func addForm(f *pflag.FlagSet, to *form, usage string, more ...string) {
	forms := append([]string{formTable}, append(more, formJSON, formYAML)...)
	f.VarP(formFlag{to, forms}, "output", "o", "the form of the output")
	f.Var(jsonFlag{to}, formJSON, usage+"; short for -o json")
	f.Lookup(formJSON).NoOptDefVal = "true"
}

// structured reports whether the output is for programs.
func (f form) structured() bool { return f == formJSON || f == formYAML }

// write prints a value for programs: JSON on one line, or a YAML document.
func (f form) write(w io.Writer, value any) error {
	if f == formYAML {
		return writeYAML(w, value)
	}
	return writeJSON(w, value)
}

// writeJSON writes a value on one line, as the gateway does. HTML characters are not
// escaped.
func writeJSON(w io.Writer, value any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(value)
}

// writeYAML writes the JSON of a value as YAML. The members have the names and the order
// of the JSON, and numbers keep their digits.
func writeYAML(w io.Writer, value any) error {
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
	to    *form
	forms []string
}

func (f formFlag) String() string {
	if f.to == nil || *f.to == "" {
		return formTable
	}
	return string(*f.to)
}

func (f formFlag) Type() string { return strings.Join(f.forms, "|") }

func (f formFlag) Set(text string) error {
	text = strings.ToLower(text)
	if !slices.Contains(f.forms, text) {
		return fmt.Errorf("want one of %s", strings.Join(f.forms, ", "))
	}
	*f.to = form(text)
	return nil
}

// jsonFlag is --json.
type jsonFlag struct{ to *form }

func (j jsonFlag) String() string { return "" }
func (j jsonFlag) Type() string   { return "bool" }

func (j jsonFlag) Set(text string) error {
	on, err := strconv.ParseBool(text)
	switch {
	case err != nil:
		return errors.New("want true or false")
	case on:
		*j.to = formJSON
	case *j.to == formJSON:
		*j.to = formTable
	}
	return nil
}
