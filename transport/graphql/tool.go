package graphql

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/toolscript/toolscript"
)

// operation is a tool: a field of the root type of queries or of mutations.
type operation struct {
	Tool      toolscript.Tool
	Kind      string // query or mutation
	Field     string
	Args      []argumentType `json:",omitempty"`
	Choice    string         `json:",omitempty"` // argument of the tool that selects fields; "" if the result has no fields
	Selection string         `json:",omitempty"` // default selection, such as "{ id }"; "" if the result has no fields
}

// argumentType is an argument of a field with its type in GraphQL.
type argumentType struct{ Name, Type string }

// Limits of a schema, because an endpoint could exhaust the gateway with a huge one.
const (
	maxSchemas    = 64 << 20 // bytes of the schemas of all tools
	maxOperations = 30_000
	maxTypes      = 2000 // input objects of one tool; further ones accept any value
	maxSelected   = 2000 // fields of a default selection
)

var errSchemas = fmt.Errorf("the schemas of its tools have more than %d MB; name fewer \"operations\" of the server", maxSchemas>>20)

// operations returns the queries and mutations whose tool names are selected. If their schemas
// together are too large, it limits the number of input objects in each schema.
func (s *schema) operations(selects func(name string) bool) (out []operation, err error) {
	for most := maxTypes; most > 0; most /= 4 {
		if out, err = s.build(selects, most); !errors.Is(err, errSchemas) {
			break
		}
	}
	return out, err
}

// build builds operations that define at most types input objects each.
func (s *schema) build(selects func(name string) bool, types int) (out []operation, err error) {
	size := 0
	taken := map[string]bool{}
	for _, root := range []struct{ kind, name string }{{"query", s.query}, {"mutation", s.mutation}} {
		t := s.types[root.name]
		if t == nil {
			continue
		}
		for _, f := range t.Fields {
			if strings.HasPrefix(f.Name, "__") { // the field belongs to introspection
				continue
			}
			name := f.Name
			if taken[name] {
				name += "_" + root.kind
			}
			taken[name] = true
			if !selects(name) {
				continue
			}
			if len(out) == maxOperations {
				return nil, fmt.Errorf("more than %d of its queries and mutations are selected; name fewer \"operations\" of the server", maxOperations)
			}
			o := s.operation(name, root.kind, f, types)
			if size += len(o.Tool.InputSchema) + len(o.Tool.OutputSchema); size > maxSchemas {
				return nil, errSchemas
			}
			out = append(out, o)
		}
	}
	return out, nil
}

func (s *schema) operation(name, of string, f field, types int) operation {
	o := operation{Kind: of, Field: f.Name}
	w := &jsonSchemas{schema: s, most: types, defs: map[string]any{}}
	properties, required := map[string]any{}, []string{}
	for _, a := range f.Args {
		o.Args = append(o.Args, argumentType{a.Name, a.Type.String()})
		properties[a.Name] = w.argument(a)
		if a.Type.required() && a.DefaultValue == nil {
			required = append(required, a.Name)
		}
	}
	w.define()
	output := any(nil)
	if named := f.Type.named(); s.leaf(named) {
		output = w.output(&f.Type, nil)
	} else {
		fields := s.selection(f, of)
		o.Selection = text(fields)
		o.Choice = "select"
		for properties[o.Choice] != nil {
			o.Choice += "_"
		}
		properties[o.Choice] = map[string]any{
			"type":        "string",
			"description": "the fields of the result in GraphQL, such as \"{ id author { name } }\"; the default is " + o.Selection,
		}
		output = w.output(&f.Type, fields)
	}
	in := map[string]any{"type": "object", "additionalProperties": false, "properties": properties, "required": required}
	if len(w.defs) > 0 {
		in["$defs"] = w.defs
	}
	inputText, _ := toolscript.PlainJSON(in)      // strings, maps and slices always encode
	outputText, _ := toolscript.PlainJSON(output) // the same
	o.Tool = toolscript.Tool{Name: name, Description: description(f, of), InputSchema: inputText, OutputSchema: outputText}
	yes, no := true, false
	o.Tool.Annotations.OpenWorld = &yes
	if of == "query" {
		o.Tool.Annotations.ReadOnly, o.Tool.Annotations.Destructive = &yes, &no
	}
	return o
}

// deprecated adds a mark to a description if is says that the subject is deprecated.
func deprecated(text string, is bool) string {
	if is {
		return strings.TrimSpace("Deprecated. " + text)
	}
	return text
}

func description(f field, of string) string {
	text := deprecated(strings.TrimSpace(f.Description), f.Deprecated)
	if text == "" {
		return "The GraphQL " + of + " " + f.Name + "."
	}
	return text
}

// String returns the reference in GraphQL syntax.
func (r *reference) String() string {
	switch {
	case r.Kind == "NON_NULL" && r.OfType != nil:
		return r.OfType.String() + "!"
	case r.Kind == "LIST" && r.OfType != nil:
		return "[" + r.OfType.String() + "]"
	default:
		return r.Name
	}
}

// selected is a field of a selection.
type selected struct {
	field  field
	fields []selected // selected fields of the value; nil for a value without fields
}

// selection returns the default selection of an operation. The selection of a mutation contains no
// field that may change something. A mutation without arguments that returns one object counts as
// a group of mutations, as in "mutation { user { delete(id: 1) } }", whatever the name of its type.
func (s *schema) selection(f field, of string) []selected {
	named, left := f.Type.named(), maxSelected
	if of == "query" {
		return s.chosen(named, 2, &left, func(field) bool { return true })
	}
	if len(f.Args) == 0 && !f.Type.list() || s.mutates(named) && (len(f.Args) == 0 || !strings.EqualFold(named, f.Name+"Mutation")) {
		return nil // some endpoints call the result of createOrder CreateOrderMutation
	}
	return s.chosen(named, 2, &left, func(inner field) bool { return len(inner.Args) == 0 && !s.mutates(inner.Type.named()) })
}

// chosen returns the fields of a type that have no fields of their own and need no argument, and
// the same fields of the objects in the type, down to a depth. It selects at most left fields. It
// leaves out objects with arguments, even if none is required: many endpoints refuse a list
// without limits.
func (s *schema) chosen(name string, depth int, left *int, may func(field) bool) (out []selected) {
	t := s.types[name]
	if t == nil || depth == 0 {
		return nil
	}
	for _, f := range t.Fields {
		if *left == 0 {
			return out
		}
		if f.Deprecated || !may(f) || slices.ContainsFunc(f.Args, func(a input) bool { return a.Type.required() && a.DefaultValue == nil }) {
			continue
		}
		if s.leaf(f.Type.named()) {
			*left--
			out = append(out, selected{f, nil})
			continue
		}
		if len(f.Args) > 0 {
			continue
		}
		if inner := s.chosen(f.Type.named(), depth-1, left, may); len(inner) > 0 {
			out = append(out, selected{f, inner})
		}
	}
	return out
}

// mutations matches names of types that contain the word Mutation or Mutations.
var mutations = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`Mutations?([^a-z]|$)|(^|_)mutations?$`) })

// mutates reports whether the name of a type says that the type is a group of mutations.
func (s *schema) mutates(name string) bool {
	return !s.leaf(name) && (name == s.mutation || mutations().MatchString(name))
}

// text returns a selection in GraphQL. Without fields, it selects __typename, which every type has.
func text(fields []selected) string {
	if len(fields) == 0 {
		return "{ __typename }"
	}
	var out strings.Builder
	out.WriteString("{")
	for _, f := range fields {
		out.WriteString(" " + f.field.Name)
		if f.fields != nil {
			out.WriteString(" " + text(f.fields))
		}
	}
	out.WriteString(" }")
	return out.String()
}

// jsonSchemas builds JSON Schemas of types.
type jsonSchemas struct {
	*schema
	most    int            // maximum number of input objects
	defs    map[string]any // schemas of input objects by name
	waiting []*kind        // types whose schema in defs is not built yet
}

// argument returns the schema of an argument or of a field of an input object.
func (w *jsonSchemas) argument(in input) any {
	schema := w.input(&in.Type)
	if in.Description != "" || in.DefaultValue != nil || in.Deprecated {
		described := map[string]any{}
		maps.Copy(described, schema)
		text := deprecated(in.Description, in.Deprecated)
		if in.DefaultValue != nil {
			text = strings.TrimSpace(text + " The default is " + *in.DefaultValue + ".")
		}
		described["description"] = text
		return described
	}
	return schema
}

func (w *jsonSchemas) input(r *reference) map[string]any {
	if r.Kind == "NON_NULL" && r.OfType != nil {
		return w.bare(r.OfType)
	}
	return nullable(w.bare(r))
}

// bare returns the schema of a reference, without null.
func (w *jsonSchemas) bare(r *reference) map[string]any {
	if r.Kind == "LIST" && r.OfType != nil {
		return map[string]any{"type": "array", "items": w.input(r.OfType)}
	}
	t := w.types[r.Name]
	if t == nil || t.Kind != "INPUT_OBJECT" {
		return w.scalar(r.Name)
	}
	w.refer(t)
	return map[string]any{"$ref": "#/$defs/" + t.Name}
}

// refer adds an empty definition of an input object. define completes it later.
func (w *jsonSchemas) refer(t *kind) {
	if w.defs[t.Name] == nil {
		w.defs[t.Name] = map[string]any{}
		if len(w.defs) <= w.most {
			w.waiting = append(w.waiting, t)
		}
	}
}

// define completes the definitions. It does not recurse, because definitions can form a long chain.
func (w *jsonSchemas) define() {
	for len(w.waiting) > 0 {
		t := w.waiting[len(w.waiting)-1]
		w.waiting = w.waiting[:len(w.waiting)-1]
		d := w.inputObject(t)
		w.defs[t.Name] = d.text
		for _, other := range d.refers {
			w.refer(other)
		}
	}
}

// inputObject is the JSON Schema of an input object, with the input objects that it refers to.
type inputObject struct {
	text   json.RawMessage
	refers []*kind // input objects to which it refers, each once, in the order of the fields
}

// inputObject returns the JSON Schema of an input object. It is cached, because many tools may use it.
func (s *schema) inputObject(t *kind) inputObject {
	if d, known := s.inputs[t.Name]; known {
		return d
	}
	of := &jsonSchemas{schema: s, most: len(t.InputFields), defs: map[string]any{}}
	properties, required := map[string]any{}, []string{}
	for _, f := range t.InputFields {
		properties[f.Name] = of.argument(f)
		if f.Type.required() && f.DefaultValue == nil {
			required = append(required, f.Name)
		}
	}
	all := map[string]any{"type": "object", "additionalProperties": false, "properties": properties, "required": required}
	if t.Description != "" {
		all["description"] = t.Description
	}
	text, _ := toolscript.PlainJSON(all) // strings, maps and slices always encode
	if s.inputs == nil {
		s.inputs = map[string]inputObject{}
	}
	s.inputs[t.Name] = inputObject{text, of.waiting}
	return s.inputs[t.Name]
}

// scalar returns the schema of a scalar or an enum. A custom scalar accepts any value, because its
// values are not known.
func (w *jsonSchemas) scalar(name string) map[string]any {
	switch name {
	case "String", "ID":
		return map[string]any{"type": "string"}
	case "Int":
		return map[string]any{"type": "integer"}
	case "Float":
		return map[string]any{"type": "number"}
	case "Boolean":
		return map[string]any{"type": "boolean"}
	}
	if t := w.types[name]; t != nil && t.Kind == "ENUM" && len(t.EnumValues) > 0 {
		values := []any{}
		for _, v := range t.EnumValues {
			values = append(values, v.Name)
		}
		return map[string]any{"enum": values}
	}
	return map[string]any{"description": "a value of the scalar " + name}
}

// nullable returns a schema that also accepts null.
func nullable(schema map[string]any) map[string]any {
	if schema["type"] == nil && schema["enum"] == nil && schema["$ref"] == nil {
		return schema // it accepts any value already
	}
	return map[string]any{"anyOf": []any{schema, map[string]any{"type": "null"}}}
}

// output returns the schema of a result with the fields of the default selection. Another
// selection has other fields, so each field may be absent and further fields are allowed.
func (w *jsonSchemas) output(r *reference, fields []selected) map[string]any {
	if r.Kind == "NON_NULL" && r.OfType != nil {
		return w.value(r.OfType, fields)
	}
	return nullable(w.value(r, fields))
}

func (w *jsonSchemas) value(r *reference, fields []selected) map[string]any {
	switch {
	case r.Kind == "LIST" && r.OfType != nil:
		return map[string]any{"type": "array", "items": w.output(r.OfType, fields)}
	case w.leaf(r.Name):
		return w.scalar(r.Name)
	}
	properties := map[string]any{}
	for _, f := range fields {
		properties[f.field.Name] = w.output(&f.field.Type, f.fields)
	}
	return map[string]any{"type": "object", "additionalProperties": true, "properties": properties}
}
