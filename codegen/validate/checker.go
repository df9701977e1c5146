package validate

import (
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolscript/toolscript"
)

// checker applies one compiled schema. It is immutable, so checks need no lock.
type checker struct {
	schema    *jsonschema.Schema
	schemas   map[string]*jsonschema.Schema // by location
	dynamic   map[anchor]*jsonschema.Schema // schemas with $dynamicAnchor
	recursive map[string]*jsonschema.Schema // schemas with $recursiveAnchor, by document
	plain     map[*jsonschema.Schema]bool   // schemas that method fits can apply

	relaxed        bool                        // some members are not required because they have a default
	nullable       map[*jsonschema.Schema]bool // schemas with "nullable": true
	discriminators map[*jsonschema.Schema]tag  // tags of OpenAPI's keyword discriminator, by the first branch of the union
	weight         int                         // size of all patterns, in instructions
}

// anchor is a $dynamicAnchor of a document.
type anchor struct{ document, name string }

func newChecker(s *jsonschema.Schema, weight int) *checker {
	c := &checker{
		schema: s, weight: weight,
		schemas:   map[string]*jsonschema.Schema{},
		dynamic:   map[anchor]*jsonschema.Schema{},
		recursive: map[string]*jsonschema.Schema{},
		plain:     map[*jsonschema.Schema]bool{},
	}
	waiting := []*jsonschema.Schema{s}
	for len(waiting) > 0 {
		next := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		if next == nil || c.schemas[next.Location] == next {
			continue
		}
		c.schemas[next.Location] = next
		c.plain[next] = isPlain(next)
		if next.DynamicAnchor != "" {
			c.dynamic[anchor{document(next), next.DynamicAnchor}] = next
		}
		if next.RecursiveAnchor {
			c.recursive[document(next)] = next
		}
		waiting = append(waiting, children(next)...)
	}
	return c
}

// annotate finds the keywords nullable and discriminator of OpenAPI in the document, because
// the library ignores them.
func (c *checker) annotate(doc any) {
	c.nullable, c.discriminators = map[*jsonschema.Schema]bool{}, map[*jsonschema.Schema]tag{}
	for at, s := range c.schemas {
		part := doc
		if at, inside := strings.CutPrefix(at, location+"#/"); inside {
			part = follow(doc, at)
		}
		members, _ := part.(map[string]any)
		if members["nullable"] == true {
			c.nullable[s] = true
		}
		if discriminator, ok := members["discriminator"].(map[string]any); ok {
			for keyword, branches := range map[string][]*jsonschema.Schema{"oneOf": s.OneOf, "anyOf": s.AnyOf} {
				list, _ := members[keyword].([]any)
				if t := discriminated(discriminator, list, branches); t.name != "" {
					c.discriminators[branches[0]] = t
				}
			}
		}
	}
}

// document returns the address of the document that contains a schema.
func document(s *jsonschema.Schema) string {
	address, _, _ := strings.Cut(s.Location, "#")
	return address
}

// check returns the violation of a value, or nil. cut reports that the check stopped early, so
// there may be further violations. problem is the reason why a part was not checked. err is
// set if the context of the budget has ended.
func (c *checker) check(b *budget, value any, most int) (wrong *violation, cut bool, problem, err error) {
	w := &walk{budget: b, checker: c, most: most}
	defer func() {
		switch recovered := recover().(type) {
		case nil:
		case stopped:
			wrong, problem = nil, fmt.Errorf("some arguments were not checked: %w", recovered.reason)
			if b.ctx.Err() != nil {
				problem, err = nil, toolscript.ContextError(b.ctx)
			}
		default:
			panic(recovered)
		}
	}()
	_, wrong = w.apply(c.schema, value, nil, nil, false, false)
	if w.skipped {
		problem = fmt.Errorf("some arguments were not checked: %w", errSkipped)
	}
	return wrong, w.cut, problem, nil
}

// details converts a violation of a value to Details.
func (c *checker) details(wrong *violation, value any, cut bool) []toolscript.Detail {
	if wrong == nil {
		return nil
	}
	x := &explainer{checker: c, value: value, more: cut}
	return x.details(wrong)
}
