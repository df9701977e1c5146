package validate

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolscript/toolscript/internal/rescue"
)

// Limits of a schema. The time for compiling is quadratic in the numbers of subschemas,
// references and lists in an enum.
const (
	maxSchemaBytes = 512 << 10
	maxSubschemas  = 5000
	maxReferences  = 1000
	maxLists       = 5000
)

// location is the address under which schemas are compiled. It never appears in a message.
const location = "mem:///schema.json"

// refuse is a loader that rejects all documents. The default loader of the library would read
// files.
type refuse struct{}

func (refuse) Load(url string) (any, error) {
	return nil, fmt.Errorf("it refers to %s, and other documents are never fetched", url)
}

// compile returns the checker of a schema. problem is the reason why a part of the
// schema is not applied.
func compile(schema []byte) (c *checker, problem, err error) {
	if len(schema) > maxSchemaBytes {
		return nil, nil, fmt.Errorf("the schema has %d bytes; up to %d are applied", len(schema), maxSchemaBytes)
	}
	doc, err := decode(schema)
	if err != nil {
		return nil, nil, fmt.Errorf("read the schema: %w", err)
	}
	if err := bounded(doc); err != nil {
		return nil, nil, err
	}
	var found patterns
	fixed := repair(doc, &found)
	compiled, err := compileAs(fixed.draft, doc, &found)
	if err != nil {
		return nil, nil, err
	}
	c = newChecker(compiled, found.weight)
	c.relaxed = fixed.relaxed
	if fixed.annotated {
		c.annotate(doc)
	}
	return c, fixed.problem, nil
}

func compileAs(draft *jsonschema.Draft, doc any, found *patterns) (compiled *jsonschema.Schema, err error) {
	defer rescue.Catch(func(p *rescue.Error) { err = fmt.Errorf("compile the schema: %v", p.Reason) })
	c := jsonschema.NewCompiler()
	c.DefaultDraft(draft)
	c.UseLoader(refuse{})
	c.UseRegexpEngine(found.compile)
	if err := c.AddResource(location, doc); err != nil {
		return nil, plain(err)
	}
	if compiled, err = c.Compile(location); err != nil {
		return nil, plain(err)
	}
	return compiled, nil
}

// plain removes location from a compile error.
func plain(err error) error {
	text := err.Error()
	var invalid *jsonschema.SchemaValidationError
	if errors.As(err, &invalid) {
		text = "the schema is not valid: " + strings.Join(strings.Split(invalid.Err.Error(), "\n")[1:], "; ")
	}
	text = strings.NewReplacer(location+"#", "#", location, "the schema").Replace(text)
	return errors.New(text)
}

// bounded returns an error for a document that takes too long to compile, or that walk cannot
// apply correctly. It counts each object as a subschema, so the count may be too high, but
// never too low.
func bounded(doc any) error {
	var n census
	n.count(doc, true)
	switch {
	case n.subschemas > maxSubschemas:
		return fmt.Errorf("the schema has %d objects; up to %d are applied", n.subschemas, maxSubschemas)
	case n.references > maxReferences:
		return fmt.Errorf("the schema has %d references; up to %d are applied", n.references, maxReferences)
	case n.lists > maxLists:
		return fmt.Errorf("the schema has %d lists; up to %d are applied", n.lists, maxLists)
	case n.number != "":
		return fmt.Errorf("the schema has the number %s, which has too many digits", cut(n.number))
	case n.dynamic && n.nested:
		return errors.New("the schema has a $dynamicRef or $recursiveRef and an $id inside, which are not applied together")
	}
	return nil
}

// census counts the parts of a document.
type census struct {
	subschemas, references, lists int

	number  string // a number with too many digits for exact arithmetic
	dynamic bool   // has references that depend on the enclosing resources
	nested  bool   // has a part with its own $id
}

func (n *census) count(value any, root bool) {
	switch value := value.(type) {
	case map[string]any:
		n.subschemas++
		for name, member := range value {
			if _, ok := member.(string); ok {
				n.references += oneIf(name == "$ref")
				n.dynamic = n.dynamic || name == "$dynamicRef" || name == "$recursiveRef"
				n.nested = n.nested || !root && (name == "$id" || name == "id")
			}
			n.count(member, false)
		}
	case []any:
		n.lists++
		for _, item := range value {
			n.count(item, false)
		}
	case json.Number:
		if !withinDigits(value) {
			n.number = value.String()
		}
	}
}

func oneIf(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// children returns the schemas that s applies directly.
func children(s *jsonschema.Schema) []*jsonschema.Schema {
	all := []*jsonschema.Schema{
		s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else, s.PropertyNames, s.UnevaluatedProperties,
		s.Contains, s.Items2020, s.UnevaluatedItems, s.ContentSchema,
	}
	if s.DynamicRef != nil {
		all = append(all, s.DynamicRef.Ref)
	}
	for _, list := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf, s.PrefixItems} {
		all = append(all, list...)
	}
	for _, named := range []map[string]*jsonschema.Schema{s.Properties, s.DependentSchemas} {
		for _, child := range named {
			all = append(all, child)
		}
	}
	for _, child := range s.PatternProperties {
		all = append(all, child)
	}
	for _, dependency := range s.Dependencies {
		all = append(all, oneOrMore(dependency)...)
	}
	for _, child := range []any{s.AdditionalProperties, s.Items, s.AdditionalItems} {
		all = append(all, oneOrMore(child)...)
	}
	return all
}

// oneOrMore returns the schemas in a field that can have several types.
func oneOrMore(field any) []*jsonschema.Schema {
	switch field := field.(type) {
	case *jsonschema.Schema:
		return []*jsonschema.Schema{field}
	case []*jsonschema.Schema:
		return field
	}
	return nil
}
