package validate

import (
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Limits of a schema. Compiling takes quadratic time in the number of
// subschemas and of references.
const (
	maxSchemaBytes = 512 << 10
	maxSubschemas  = 5000
	maxReferences  = 1000
)

// location is the address under which a schema is compiled. It never appears
// in a message.
const location = "mem:///schema.json"

// refuse is the loader of other documents: there are none. The library's own
// reads files.
type refuse struct{}

func (refuse) Load(url string) (any, error) {
	return nil, fmt.Errorf("it refers to %s, and other documents are never fetched", url)
}

// compile makes the checker of a schema. Without $schema it is read as draft
// 2020-12 and, when that fails, as draft 7 and 4, which differ in what items
// and exclusiveMinimum hold.
func compile(schema []byte) (*checker, error) {
	if len(schema) > maxSchemaBytes {
		return nil, fmt.Errorf("the schema has %d bytes; up to %d are applied", len(schema), maxSchemaBytes)
	}
	doc, err := decode(schema)
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	if err := bounded(doc); err != nil {
		return nil, err
	}
	var first error
	for _, draft := range []*jsonschema.Draft{jsonschema.Draft2020, jsonschema.Draft7, jsonschema.Draft4} {
		compiled, err := compileAs(draft, doc)
		if err == nil {
			return newChecker(compiled), nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// compileAs compiles doc. The library panics on numbers that big.Rat refuses,
// such as 1e9999999.
func compileAs(draft *jsonschema.Draft, doc any) (compiled *jsonschema.Schema, err error) {
	defer func() {
		if recovered := recover(); recovered != nil {
			err = fmt.Errorf("compile the schema: %v", recovered)
		}
	}()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(draft)
	c.UseLoader(refuse{})
	c.UseRegexpEngine(compilePattern)
	if err := c.AddResource(location, doc); err != nil {
		return nil, plain(err)
	}
	if compiled, err = c.Compile(location); err != nil {
		return nil, plain(err)
	}
	return compiled, nil
}

// plain is a compile error without the address of our making.
func plain(err error) error {
	text := err.Error()
	var invalid *jsonschema.SchemaValidationError
	if errors.As(err, &invalid) {
		text = "the schema is not valid: " + strings.Join(strings.Split(invalid.Err.Error(), "\n")[1:], "; ")
	}
	text = strings.NewReplacer(location+"#", "#", location, "the schema").Replace(text)
	return errors.New(text)
}

// bounded refuses documents that take too long to compile. Whatever has members
// counts as a subschema, which is more than there are.
func bounded(doc any) error {
	subschemas, references := 0, 0
	var count func(any)
	count = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			subschemas++
			if _, ok := v["$ref"].(string); ok {
				references++
			}
			for _, member := range v {
				count(member)
			}
		case []any:
			for _, item := range v {
				count(item)
			}
		}
	}
	count(doc)
	switch {
	case subschemas > maxSubschemas:
		return fmt.Errorf("the schema has %d objects; up to %d are applied", subschemas, maxSubschemas)
	case references > maxReferences:
		return fmt.Errorf("the schema has %d references; up to %d are applied", references, maxReferences)
	}
	return nil
}

// children are the schemas that s applies directly.
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

// oneOrMore are the schemas in a field that holds several types.
func oneOrMore(field any) []*jsonschema.Schema {
	switch field := field.(type) {
	case *jsonschema.Schema:
		return []*jsonschema.Schema{field}
	case []*jsonschema.Schema:
		return field
	}
	return nil
}

// ours reports whether a schema is part of the document we compile. The
// library shares its metaschemas between all compilers.
func ours(s *jsonschema.Schema) bool { return strings.HasPrefix(s.Location, location) }
