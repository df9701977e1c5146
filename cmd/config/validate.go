package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// maxReported bounds what is said about one file.
const maxReported = 20

// finding is one violation of the schema at one place.
type finding struct {
	location  []string
	at        int // offset
	violation *jsonschema.ValidationError
}

// validate holds the document against the schema. Unknown fields are warnings
// unless something else is wrong, all else is a mistake. What a variable that is not set leaves unclear is no
// mistake: the server that needs it is reported instead.
func (d *document) validate() (mistakes, warnings Mistakes) {
	var invalid *jsonschema.ValidationError
	if err := schemaRules().compiled.Validate(d.root.plain()); !errors.As(err, &invalid) {
		return append(d.wrongServers(), d.wrongSecrets()...), nil
	}
	var wrong, unknown []finding
	for _, v := range violations(invalid, nil) {
		switch k := v.ErrorKind.(type) {
		case *kind.AdditionalProperties:
			unknown = append(unknown, d.fields(v, k.Properties)...)
		case *kind.Required:
			wrong = append(wrong, d.fields(v, k.Missing)...)
		default:
			if n := d.root.find(v.InstanceLocation); len(n.unset) == 0 {
				wrong = append(wrong, finding{v.InstanceLocation, n.at, v})
			}
		}
	}
	if len(wrong) > 0 { // a misspelt field is often why another one is missing
		return d.report(append(wrong, unknown...)), nil
	}
	return append(d.wrongServers(), d.wrongSecrets()...), d.report(unknown)
}

// wrongServers are the mistakes in servers that the schema cannot find.
func (d *document) wrongServers() (out Mistakes) {
	for name, n := range d.root.child("mcpServers").children() {
		out = append(out, d.wrongCommands(name, n)...)
		out = append(out, d.wrongOverrides(name, n)...)
		out = append(out, d.wrongConfine(name, n)...)
	}
	return out
}

// violations are the leaves of the validator's tree. A oneOf is a leaf: that
// none of its branches fits is what is wrong.
func violations(e *jsonschema.ValidationError, found []*jsonschema.ValidationError) []*jsonschema.ValidationError {
	if _, ok := e.ErrorKind.(*kind.OneOf); ok || len(e.Causes) == 0 {
		return append(found, e)
	}
	for _, cause := range e.Causes {
		found = violations(cause, found)
	}
	return found
}

// fields makes a finding of each field that one violation is about.
func (d *document) fields(v *jsonschema.ValidationError, names []string) []finding {
	var out []finding
	for _, name := range names {
		location := append(slices.Clone(v.InstanceLocation), name)
		out = append(out, finding{location, d.root.find(location).key, v})
	}
	return out
}

// report words the findings in the order of the file, which the validator does
// not keep. Those over maxReported are counted only, before any work is done for
// them: a hostile file can hold very many.
func (d *document) report(findings []finding) Mistakes {
	slices.SortFunc(findings, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.at, b.at), slices.Compare(a.location, b.location))
	})
	var out Mistakes
	for _, f := range findings[:min(len(findings), maxReported)] {
		out = append(out, d.mistake(f.location, f.at, d.allowed(f)))
	}
	if more := len(findings) - len(out); more > 0 {
		out[len(out)-1].Message += fmt.Sprintf(" (and %d more)", more)
	}
	return out
}

// mistake is about the field at a location, which may be missing.
func (d *document) mistake(location []string, at int, message string) *Mistake {
	m := d.mistakeAt(at, message)
	m.Field = fieldPath(d.root, location)
	return m
}

// repetitions are warnings about keys that an object has more than once.
func (d *document) repetitions() Mistakes {
	var out Mistakes
	for _, location := range d.repeated[:min(len(d.repeated), maxReported)] {
		out = append(out, d.mistake(location, d.root.find(location).key, "written more than once; the last one is used"))
	}
	return out
}
