package graphql

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
)

// schema has the types of an endpoint by their names.
type schema struct {
	types           map[string]*kind
	query, mutation string                 // names of types; "" without
	inputs          map[string]inputObject // of input objects that tools have
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

// reference is a type where it is used.
type reference struct {
	Kind   string // LIST and NON_NULL have OfType, the others a Name
	Name   string
	OfType *reference
}

// named is the named type in a reference.
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

// leaf reports whether a value of the type has no fields.
func (s *schema) leaf(name string) bool {
	t := s.types[name]
	return t == nil || t.Kind == "SCALAR" || t.Kind == "ENUM"
}

// introspection asks for the types of an endpoint. References are read nine levels deep:
// [[[T!]!]!]! has seven.
const introspection = `query Introspection { __schema { queryType { name } mutationType { name } types { kind name description
fields(includeDeprecated: true) { name description isDeprecated args { ...input } type { ...ref } }
inputFields { ...input } enumValues(includeDeprecated: true) { name } } } }
fragment input on __InputValue { name description defaultValue type { ...ref } }
fragment ref on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name
ofType { kind name ofType { kind name ofType { kind name } } } } } } } } }`

// withDeprecated asks for the arguments and input fields that are deprecated too, as far as an
// endpoint knows how.
var withDeprecated = strings.NewReplacer(
	"args {", "args(includeDeprecated: true) {", "inputFields {", "inputFields(includeDeprecated: true) {", "__InputValue { name", "__InputValue { name isDeprecated",
)

// fromIntrospection reads the answer of an introspection.
func fromIntrospection(data json.RawMessage) (*schema, error) {
	var answer struct {
		Schema *struct {
			QueryType, MutationType *struct{ Name string }
			Types                   []*kind
		} `json:"__schema"`
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return nil, err
	}
	if answer.Schema == nil || len(answer.Schema.Types) == 0 {
		return nil, errors.New("the answer has no types")
	}
	s := &schema{types: map[string]*kind{}}
	for _, t := range answer.Schema.Types {
		if t != nil {
			s.types[t.Name] = t
		}
	}
	if t := answer.Schema.QueryType; t != nil {
		s.query = t.Name
	}
	if t := answer.Schema.MutationType; t != nil {
		s.mutation = t.Name
	}
	return s, nil
}

// fromSDL reads a schema in the definition language. It is not validated: vendors leave out the
// definitions of their own scalars and directives. A type that is not defined is a scalar that
// accepts anything.
func fromSDL(name, text string) (*schema, error) {
	parsed, err := parser.ParseSchemas(&ast.Source{Name: name, Input: text})
	if err != nil {
		return nil, fmt.Errorf("%w", err)
	}
	s := &schema{types: map[string]*kind{}, query: "Query", mutation: "Mutation"}
	for _, d := range slices.Concat(parsed.Definitions, parsed.Extensions) {
		t := definition(d)
		if known := s.types[d.Name]; known != nil {
			known.Fields, known.InputFields, known.EnumValues = append(known.Fields, t.Fields...), append(known.InputFields, t.InputFields...), append(known.EnumValues, t.EnumValues...)
			continue
		}
		s.types[d.Name] = t
	}
	if len(parsed.Schema) > 0 { // it names all that there are
		s.query, s.mutation = "", ""
	}
	for _, d := range slices.Concat(parsed.Schema, parsed.SchemaExtension) {
		for _, o := range d.OperationTypes {
			switch o.Operation {
			case ast.Query:
				s.query = o.Type
			case ast.Mutation:
				s.mutation = o.Type
			case ast.Subscription: // has no tools
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

// resolve writes the kinds of named references.
func (s *schema) resolve() {
	var visit func(*reference)
	visit = func(r *reference) {
		if r.OfType != nil {
			visit(r.OfType)
			return
		}
		if t := s.types[r.Name]; t != nil {
			r.Kind = t.Kind
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
}
