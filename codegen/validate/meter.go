package validate

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolscript/toolscript"
)

// Limits of one check. A schema of 1 KB can ask for 2^60 steps, or for a stack
// of more than the gigabyte at which Go ends the process, and the library knows
// neither limits nor contexts.
const (
	maxTime   = time.Second
	maxSteps  = 1 << 20
	maxFrames = 20_000 // about 20 MB of stack
	interval  = 64     // steps between looks at the clock and the stack
)

// errCostly ends a check that exceeds its limits.
var errCostly = errors.New("checking takes too long or nests too deep")

// checker applies one compiled schema.
type checker struct {
	schema  *jsonschema.Schema
	schemas map[string]*jsonschema.Schema // those of the document, by location

	// The library passes no state of ours through a check, so that the meter
	// belongs to the schema and checks of one schema take turns. One takes
	// microseconds.
	mu    sync.Mutex
	steps int
	start time.Time
}

// newChecker puts a meter into every part of a compiled schema. It takes the
// place of format, which is the first keyword that the library asks whatever
// the type is; formats are not asserted, as JSON Schema has it since 2019-09.
func newChecker(s *jsonschema.Schema) *checker {
	c := &checker{schema: s, schemas: map[string]*jsonschema.Schema{}}
	meter := &jsonschema.Format{Name: "meter", Validate: c.step}
	waiting := []*jsonschema.Schema{s}
	for len(waiting) > 0 {
		next := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		if next == nil || !ours(next) || c.schemas[next.Location] == next {
			continue
		}
		c.schemas[next.Location] = next
		next.Format = meter
		waiting = append(waiting, children(next)...)
	}
	return c
}

// step counts one schema applied to one value, and panics with errCostly when
// that was one too many.
func (c *checker) step(any) error {
	c.steps++
	if c.steps%interval != 0 {
		return nil
	}
	var frame [1]uintptr
	if c.steps > maxSteps || time.Since(c.start) > maxTime || runtime.Callers(maxFrames, frame[:]) > 0 {
		panic(errCostly)
	}
	return nil
}

// check lists the violations of a value. The error means that nothing is known
// of them.
func (c *checker) check(value any) (details []toolscript.Detail, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer func() {
		if recovered := recover(); recovered != nil {
			details, err = nil, fmt.Errorf("some arguments were not checked: %v", recovered)
		}
	}()
	c.steps, c.start = 0, time.Now()
	var invalid *jsonschema.ValidationError
	if !errors.As(c.schema.Validate(value), &invalid) {
		return nil, nil
	}
	x := explainer{value: value, schemas: c.schemas}
	return x.details(invalid)
}
