package graphql

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/toolscript/toolscript/internal/rawjson"
)

// schema holds the types of an endpoint by name.
type schema struct {
	types           map[string]*kind
	query, mutation string                 // names of the root types; "" if missing
	inputs          map[string]inputObject // cache of the schemas of input objects
	warnings        []string               // at most mostWarnings
}

// mostWarnings is the maximum number of warnings about a schema, and of names in one warning.
const mostWarnings = 20

// warn adds a warning about the schema.
func (s *schema) warn(format string, args ...any) {
	if len(s.warnings) < mostWarnings {
		s.warnings = append(s.warnings, fmt.Sprintf(format, args...))
	}
}

// kind is a named type.
type kind struct {
	Kind        string // SCALAR, ENUM, OBJECT, INTERFACE, UNION or INPUT_OBJECT
	Name        string
	Description string
	Fields      []field
	InputFields []input
	EnumValues  []struct{ Name string }
}

// field is a field of an object or an interface.
type field struct {
	Name        string
	Description string
	Args        []input
	Type        reference
	Deprecated  bool `json:"isDeprecated"`
}

// input is an argument, or a field of an input object.
type input struct {
	Name         string
	Description  string
	Type         reference
	DefaultValue *string
	Deprecated   bool `json:"isDeprecated"`
}

// reference is a reference to a type, which may be wrapped in lists and non-null types.
type reference struct {
	Kind   string // LIST and NON_NULL have OfType, others have a Name
	Name   string
	OfType *reference
}

// named returns the name of the innermost type.
func (r *reference) named() string {
	for r.OfType != nil {
		r = r.OfType
	}
	return r.Name
}

func (r *reference) required() bool { return r.Kind == "NON_NULL" }

// list reports whether the value is a list.
func (r *reference) list() bool {
	return r.Kind == "LIST" || r.OfType != nil && r.OfType.list()
}

// leaf reports whether values of the type have no fields.
func (s *schema) leaf(name string) bool {
	t := s.types[name]
	return t == nil || t.Kind == "SCALAR" || t.Kind == "ENUM"
}

// introspection asks for the types of an endpoint. It reads references nine levels deep:
// [[[T!]!]!]! has seven.
const introspection = `query Introspection { __schema { queryType { name } mutationType { name } types { kind name description
fields(includeDeprecated: true) { name description isDeprecated args { ...input } type { ...ref } }
inputFields { ...input } enumValues(includeDeprecated: true) { name } } } }
fragment input on __InputValue { name description defaultValue type { ...ref } }
fragment ref on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name
ofType { kind name ofType { kind name ofType { kind name } } } } } } } } }`

// withDeprecated changes introspection to ask for deprecated arguments and input fields
// too, which not every endpoint supports.
var withDeprecated = strings.NewReplacer(
	"args {", "args(includeDeprecated: true) {", "inputFields {", "inputFields(includeDeprecated: true) {", "__InputValue { name", "__InputValue { name isDeprecated",
)

// fromIntrospection parses the answer to an introspection query, type by type.
func fromIntrospection(data json.RawMessage) (*schema, error) {
	s := &schema{types: map[string]*kind{}}
	var wrong error
	err := rawjson.Read(data, func(r *rawjson.Reader) {
		r.Object(func(name string) {
			if name != "__schema" {
				return
			}
			r.Object(func(name string) {
				switch name {
				case "queryType":
					wrong = cmp.Or(wrong, named(r.Value(), &s.query))
				case "mutationType":
					wrong = cmp.Or(wrong, named(r.Value(), &s.mutation))
				case "types":
					r.Array(func() { s.add(r.Value()) })
				}
			})
		})
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w", err)
	case len(s.types) == 0:
		return nil, errors.New("the answer has no types")
	case wrong != nil:
		s.warn("the type of the queries or of the mutations is left out: %v", wrong)
	}
	s.resolve()
	return s, nil
}

// named parses the name of a root type, which may be null.
func named(text json.RawMessage, to *string) error {
	var t struct{ Name string }
	err := json.Unmarshal(text, &t)
	*to = t.Name
	return err
}

// add adds a type of an introspection result. It leaves out fields that cannot be parsed. It also
// leaves out an enum or an input object with a broken part: then any value is accepted for it,
// because its type is unknown.
func (s *schema) add(text json.RawMessage) {
	t := &kind{}
	err := json.Unmarshal(text, t)
	if err == nil {
		if t.Name != "" { // null has no name
			s.types[t.Name] = t
		}
		return
	}
	t = &kind{}
	var fields []json.RawMessage
	rawjson.Object(text, func(name string, value json.RawMessage) {
		switch name { // members that cannot be parsed stay empty
		case "kind":
			_ = json.Unmarshal(value, &t.Kind)
		case "name":
			_ = json.Unmarshal(value, &t.Name)
		case "fields":
			_ = json.Unmarshal(value, &fields)
		}
	})
	s.warn("the type %s: the invalid part is left out: %v", t.Name, err)
	switch t.Kind {
	case "OBJECT", "INTERFACE", "UNION":
	default:
		return
	}
	for _, text := range fields {
		var f field
		if json.Unmarshal(text, &f) == nil && f.Name != "" {
			t.Fields = append(t.Fields, f)
		}
	}
	if t.Name != "" {
		s.types[t.Name] = t
	}
}

// fromSDL parses a schema in the schema definition language. It does not validate the schema, because
// vendors omit the definitions of their own scalars and directives. A type that is not defined
// becomes a scalar that accepts any value.
func fromSDL(name, text string) (*schema, error) {
	s := &schema{types: map[string]*kind{}, query: "Query", mutation: "Mutation"}
	parsed, err := s.parse(name, text)
	if err != nil {
		return nil, err
	}
	for _, d := range slices.Concat(parsed.Definitions, parsed.Extensions) {
		t := definition(d)
		if known := s.types[d.Name]; known != nil {
			known.Fields, known.InputFields, known.EnumValues = append(known.Fields, t.Fields...), append(known.InputFields, t.InputFields...), append(known.EnumValues, t.EnumValues...)
			continue
		}
		s.types[d.Name] = t
	}
	if len(parsed.Schema) > 0 { // a schema definition lists all root types
		s.query, s.mutation = "", ""
	}
	for _, d := range slices.Concat(parsed.Schema, parsed.SchemaExtension) {
		for _, o := range d.OperationTypes {
			switch o.Operation {
			case ast.Query:
				s.query = o.Type
			case ast.Mutation:
				s.mutation = o.Type
			case ast.Subscription: // subscriptions have no tools
			}
		}
	}
	s.resolve()
	return s, nil
}

func definition(d *ast.Definition) *kind {
	t := &kind{Kind: string(d.Kind), Name: d.Name, Description: d.Description}
	for _, v := range d.EnumValues {
		t.EnumValues = append(t.EnumValues, struct{ Name string }{v.Name})
	}
	for _, f := range d.Fields {
		if d.Kind == ast.InputObject {
			t.InputFields = append(t.InputFields, argument(f.Name, f.Description, f.Type, f.DefaultValue, f.Directives))
			continue
		}
		out := field{Name: f.Name, Description: f.Description, Type: *typeOf(f.Type), Deprecated: f.Directives.ForName("deprecated") != nil}
		for _, a := range f.Arguments {
			out.Args = append(out.Args, argument(a.Name, a.Description, a.Type, a.DefaultValue, a.Directives))
		}
		t.Fields = append(t.Fields, out)
	}
	return t
}

func argument(name, description string, t *ast.Type, value *ast.Value, directives ast.DirectiveList) input {
	in := input{Name: name, Description: description, Type: *typeOf(t), Deprecated: directives.ForName("deprecated") != nil}
	if value != nil {
		text := value.String()
		in.DefaultValue = &text
	}
	return in
}

func typeOf(t *ast.Type) *reference {
	if t.NonNull {
		inner := *t
		inner.NonNull = false
		return &reference{Kind: "NON_NULL", OfType: typeOf(&inner)}
	}
	if t.Elem != nil {
		return &reference{Kind: "LIST", OfType: typeOf(t.Elem)}
	}
	return &reference{Name: t.NamedType}
}

// resolve sets the kinds of named references, and warns about undefined types.
func (s *schema) resolve() {
	missing := map[string]bool{}
	var visit func(*reference)
	visit = func(r *reference) {
		if r.OfType != nil {
			visit(r.OfType)
			return
		}
		if t := s.types[r.Name]; t != nil {
			r.Kind = t.Kind
			return
		}
		switch r.Name {
		case "String", "ID", "Int", "Float", "Boolean", "": // "": the reference is nested too deeply
		default:
			missing[r.Name] = true
		}
	}
	for _, t := range s.types {
		for i := range t.Fields {
			visit(&t.Fields[i].Type)
			for j := range t.Fields[i].Args {
				visit(&t.Fields[i].Args[j].Type)
			}
		}
		for i := range t.InputFields {
			visit(&t.InputFields[i].Type)
		}
	}
	if len(missing) == 0 {
		return
	}
	names, more := slices.Sorted(maps.Keys(missing)), ""
	if len(names) > mostWarnings {
		names, more = names[:mostWarnings], fmt.Sprintf(" and %d more", len(names)-mostWarnings)
	}
	s.warn("values of these types may be anything, because the schema does not define them: %s%s", strings.Join(names, ", "), more)
}
