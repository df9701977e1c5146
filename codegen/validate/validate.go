// Package validate checks the arguments of tool calls against the JSON Schemas of the tools.
// Schemas and arguments may be hostile: the package never fetches a document, and a check
// neither hangs nor ends the process. If a schema cannot be applied, all arguments pass,
// because the server checks its arguments itself; Problem returns the reason.
package validate

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/toolscript/toolscript"
	memory "github.com/toolscript/toolscript/internal/budget"
)

const (
	maxSchemas   = 4096    // maximum number of compiled schemas that are kept
	maxBytes     = 4 << 20 // maximum size of the texts and patterns of these schemas, in bytes; a compiled schema takes 30 to 90 times its text
	maxArguments = 256     // maximum nesting of arguments, in levels
)

// Validator compiles schemas on first use and keeps them. The zero value is ready to
// use. It is safe for concurrent use.
type Validator struct {
	mu      sync.Mutex
	entries *memory.Cache[[sha256.Size]byte, *entry] // by the hash of the schema; the size is that of its text and patterns
	known   map[text]*entry                          // by the address of the schema, see lookup
	held    int                                      // size of the schemas that known keeps in memory
}

// text is the address of a schema in memory. As a map key it keeps the schema alive, so
// that no other schema can get the same address.
type text struct {
	first  *byte
	length int
}

// entry is one schema, compiled once.
type entry struct {
	key     [sha256.Size]byte
	begun   bool          // compilation has started; guarded by Validator.mu
	ready   chan struct{} // closed after compilation
	checker *checker      // nil if the schema cannot be applied

	mu      sync.Mutex
	problem error
}

// Check returns the violations of arguments, sorted by position. It calls Fit; see there for the error.
func (v *Validator) Check(ctx context.Context, schema, args json.RawMessage) ([]toolscript.Detail, error) {
	_, details, err := v.Fit(ctx, schema, args)
	return details, err
}

// Accepts reports whether a value of any type satisfies a schema. If the schema cannot
// be applied, it returns true.
func (v *Validator) Accepts(ctx context.Context, schema, value json.RawMessage) bool {
	decoded, known, err := v.decode(schema, value)
	if err != nil || !known || schema == nil {
		return true
	}
	e, err := v.entry(ctx, schema)
	if err != nil || e.checker == nil {
		return true
	}
	wrong, _, err := e.check(&budget{ctx: ctx, left: maxWork}, decoded, 0)
	return err != nil || wrong == nil
}

// decode decodes arguments. known is false if they have too many values. Then Problem returns
// that reason.
func (v *Validator) decode(schema, args json.RawMessage) (value any, known bool, err error) {
	value, err = decode(args)
	if errors.Is(err, errMany) {
		if schema != nil {
			v.lookup(schema).fail(fmt.Errorf("some arguments were not checked: %w", err))
		}
		return nil, false, nil
	}
	if err != nil {
		return nil, false, &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf("read the arguments: %w", err)}
	}
	return value, true, nil
}

// check calls checker.check and keeps the problem for Validator.Problem.
func (e *entry) check(b *budget, value any, most int) (wrong *violation, cut bool, err error) {
	wrong, cut, problem, err := e.checker.check(b, value, most)
	if problem != nil {
		e.fail(problem)
	}
	return wrong, cut, err
}

// Problem returns the reason why a previous call of Check has not applied a schema, or a part of it; nil
// if there is none. It compiles no schema: compiling all schemas of a large catalog would take seconds.
func (v *Validator) Problem(schema json.RawMessage) error {
	v.mu.Lock()
	e, ok := v.cache().Get(sha256.Sum256(schema))
	v.mu.Unlock()
	if !ok {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.problem
}

// entry returns the compiled schema, and compiles it on first use. Concurrent calls for
// the same schema wait for the compilation until their contexts end; calls for other
// schemas do not wait.
func (v *Validator) entry(ctx context.Context, schema json.RawMessage) (*entry, error) {
	e := v.lookup(schema)
	v.mu.Lock()
	first := !e.begun
	e.begun = true
	v.mu.Unlock()
	if first {
		v.compile(e, schema)
	}
	select {
	case <-e.ready:
		return e, nil
	default:
	}
	select {
	case <-e.ready:
		return e, nil
	case <-ctx.Done():
		return nil, toolscript.ContextError(ctx)
	}
}

// compile compiles the schema of an entry and adds the weight of its patterns to the sizes.
func (v *Validator) compile(e *entry, schema json.RawMessage) {
	defer close(e.ready)
	c, problem, err := compile(schema)
	if err != nil {
		e.fail(fmt.Errorf("arguments are not checked: %w", err))
		return
	}
	if e.checker = c; problem != nil {
		e.fail(problem)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if now, ok := v.cache().Get(e.key); ok && now == e {
		v.dropped(v.entries.Grow(e.key, c.weight))
	}
}

// lookup returns the entry of a schema. The tools of a catalog keep their schemas in
// memory, so the address identifies the schema after the first call; hashing 1.5 KB
// would be a tenth of a check.
func (v *Validator) lookup(schema json.RawMessage) *entry {
	at := text{length: len(schema)}
	if len(schema) > 0 {
		at.first = &schema[0]
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if e := v.known[at]; e != nil {
		v.entries.Get(e.key) // marks the entry as used
		return e
	}
	e := v.hashed(sha256.Sum256(schema), len(schema))
	v.remember(at, e)
	return e
}

// remember stores an address of a schema; equal schemas can have several addresses. If there
// are too many addresses, remember drops all of them, because some belong to old catalogs. The
// limits are those of the entries.
func (v *Validator) remember(at text, e *entry) {
	if v.known == nil || len(v.known) == maxSchemas || v.held+at.length > maxBytes {
		v.known, v.held = map[text]*entry{}, 0
	}
	v.known[at] = e
	v.held += at.length
}

// hashed returns the entry of the schema with the given hash, and creates it if necessary.
func (v *Validator) hashed(key [sha256.Size]byte, size int) *entry {
	if e, ok := v.cache().Get(key); ok {
		return e
	}
	e := &entry{key: key, ready: make(chan struct{})}
	v.dropped(v.entries.Put(key, e, size))
	return e
}

// cache returns v.entries. It creates the cache at the first call.
func (v *Validator) cache() *memory.Cache[[sha256.Size]byte, *entry] {
	if v.entries == nil {
		v.entries = memory.NewCache[[sha256.Size]byte, *entry](maxSchemas, maxBytes)
	}
	return v.entries
}

// dropped drops all addresses if the cache has dropped entries: an address would keep its entry in memory.
func (v *Validator) dropped(some bool) {
	if some {
		v.known, v.held = nil, 0
	}
}

// fail records a problem. The first problem of an entry stays.
func (e *entry) fail(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.problem == nil {
		e.problem = err
	}
}
