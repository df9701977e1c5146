package terminal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// Form is an output form. The zero value is the default text form of a command.
type Form string

// The forms. AsTypes is for search only, and AsRaw for values of scripts and tools only.
const (
	AsTable Form = "table"
	AsRaw   Form = "raw"
	AsTypes Form = "types"
	AsJSON  Form = "json"
)

// AddForm adds -o table|json, and --json as a short form of -o json. more are additional forms
// of this command.
func AddForm(f *pflag.FlagSet, to *Form, usage string, more ...Form) {
	forms := append([]Form{AsTable}, append(more, AsJSON)...)
	add(f, to, AsTable, forms, "the form of the output", usage)
}

// AddValueForm adds -o json|table|raw for the value of a script or a tool, and --json. By
// default, a value is JSON.
func AddValueForm(f *pflag.FlagSet, to *Form, usage string) {
	add(f, to, "", []Form{AsJSON, AsTable, AsRaw}, "the form of the value: json is that of --json, table has its rows, raw has a text without quotes", usage)
}

func add(f *pflag.FlagSet, to *Form, unset Form, forms []Form, usage, usageJSON string) {
	f.VarP(formFlag{to, unset, forms}, "output", "o", usage)
	f.Var(jsonFlag{to, unset}, string(AsJSON), usageJSON+"; short for -o json")
	f.Lookup(string(AsJSON)).NoOptDefVal = "true"
}

// Structured reports whether the output is for programs.
func (f Form) Structured() bool { return f == AsJSON }

// Write prints a value for programs: JSON on one line.
func (f Form) Write(w io.Writer, value any) error { return WriteJSON(w, value) }

// WriteJSON writes a value on one line, as the gateway does. It does not escape HTML
// characters.
func WriteJSON(w io.Writer, value any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(value)
}

// formFlag implements --output.
type formFlag struct {
	to    *Form
	unset Form
	forms []Form
}

func (f formFlag) String() string {
	if f.to == nil || *f.to == "" {
		return string(f.unset)
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

// jsonFlag implements --json.
type jsonFlag struct {
	to    *Form
	unset Form
}

func (j jsonFlag) String() string { return "" }
func (j jsonFlag) Type() string   { return "bool" }

func (j jsonFlag) Set(text string) error {
	on, err := strconv.ParseBool(text)
	switch {
	case err != nil:
		return errors.New("want true or false")
	case on:
		*j.to = AsJSON
	case *j.to == AsJSON:
		*j.to = j.unset
	}
	return nil
}
