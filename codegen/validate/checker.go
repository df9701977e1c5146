package validate

import (
	"context"
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
	plain     map[*jsonschema.Schema]bool   // schemas that fits can apply
	weight    int                           // size of its patterns, in instructions
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

// document returns the address of the document that contains a schema.
func document(s *jsonschema.Schema) string {
	address, _, _ := strings.Cut(s.Location, "#")
	return address
}

// check returns the violations of a value, with at most work units of work. problem is the reason why a part was not
// checked; err is the end of ctx.
func (c *checker) check(ctx context.Context, value any, work int) (details []toolscript.Detail, problem, err error) {
	w := &walk{budget: &budget{ctx: ctx, left: work}, checker: c}
	defer func() {
		switch recovered := recover().(type) {
		case nil:
		case stopped:
			details, problem = nil, fmt.Errorf("some arguments were not checked: %w", recovered.reason)
			if ctx.Err() != nil {
				problem, err = nil, toolscript.ContextError(ctx)
			}
		default:
			panic(recovered)
		}
	}()
	_, wrong := w.apply(c.schema, value, nil, nil, false, false)
	if w.skipped {
		problem = fmt.Errorf("some arguments were not checked: %w", errSkipped)
	}
	if wrong == nil {
		return nil, problem, nil
	}
	x := &explainer{value: value, schemas: c.schemas, more: w.cut}
	return x.details(wrong), problem, nil
}
