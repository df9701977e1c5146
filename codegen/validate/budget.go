package validate

import (
	"context"
	"errors"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Limits of one check. A schema of 1 KB can require 2^60 steps, or more than the 1 GB
// of stack at which Go ends the process. A unit of work takes at most about 20 ns.
const (
	maxWork       = 1 << 26 // units
	maxDepth      = 5000    // depth of schemas that apply each other, nested or by reference
	maxViolations = 50_000  // created violations, including those of alternatives that are dropped
	maxFound      = 200     // kept violations; the check stops at this number
	interval      = 1 << 16 // units between checks of the context
)

// Costs in units of work.
const (
	applyPrice     = 64 // for applying one schema to one value
	violationPrice = 50 // for creating a violation
	numberPrice    = 50 // for comparing two numbers
)

var (
	errCostly  = errors.New("checking them takes too long or nests too deep")
	errSkipped = errors.New("a pattern has parts that only JavaScript has, or a pattern or a number would take too long to check")
)

// budget is the remaining work of one check. It is not safe for concurrent use.
type budget struct {
	ctx        context.Context
	left       int
	sinceCheck int // units spent since the last check of ctx
	violations int
}

// stopped is the panic value that ends a check whose budget is used up or whose context has
// ended.
type stopped struct{ reason error }

// spend takes units of work from the budget.
func (b *budget) spend(units int) {
	b.left -= units
	if b.left < 0 {
		panic(stopped{errCostly})
	}
	if b.sinceCheck += units; b.sinceCheck < interval {
		return
	}
	b.sinceCheck = 0
	if err := b.ctx.Err(); err != nil {
		panic(stopped{err})
	}
}

// affords reports whether the budget covers the units, and spends them if it does.
func (b *budget) affords(units int) bool {
	if units > b.left {
		return false
	}
	b.spend(units)
	return true
}

// frame is a schema that is being applied. The chain of frames is the dynamic scope of
// JSON Schema.
type frame struct {
	schema *jsonschema.Schema
	at     *valuePlace // place of the value
	outer  *frame
	depth  int
}

// above returns the frame whose schema applies f's schema to the same value, or nil. It returns
// nil if f's schema is under not or if, because such a schema only tests the value and
// declares no members.
func (f *frame) above() *frame {
	if f.outer == nil || f.outer.at != f.at || f.outer.schema.Not == f.schema || f.outer.schema.If == f.schema {
		return nil
	}
	return f.outer
}

// valuePlace is the position of a value in the arguments; nil for the arguments themselves.
type valuePlace struct {
	step  string
	outer *valuePlace
	depth int
}

func (p *valuePlace) in(step string) *valuePlace {
	next := &valuePlace{step: step, outer: p, depth: 1}
	if p != nil {
		next.depth = p.depth + 1
	}
	return next
}

// path returns the position in the format of the library.
func (p *valuePlace) path() []string {
	if p == nil {
		return nil
	}
	path := make([]string, p.depth)
	for i := p.depth - 1; p != nil; i, p = i-1, p.outer {
		path[i] = p.step
	}
	return path
}
