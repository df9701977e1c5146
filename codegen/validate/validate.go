// Package validate holds the arguments of a tool call against the tool's JSON
// Schema before they are sent. Schemas and arguments are hostile until shown
// otherwise: nothing is fetched, and neither can hang or end the process. A
// schema that cannot be applied refuses nothing, since the server checks its
// own arguments; Problem says why.
package validate

import (
	"bytes"
	"container/list"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/toolscript/toolscript"
)

const (
	maxSchemas   = 4096    // compiled ones kept
	maxBytes     = 4 << 20 // of their texts; compiled, a schema takes 30 to 90 times its text
	maxArguments = 256     // levels that arguments may nest
)

// Validator compiles schemas when they are first needed and keeps them. The
// zero value is ready; it is safe for concurrent use.
type Validator struct {
	mu      sync.Mutex
	entries map[[sha256.Size]byte]*list.Element
	recent  list.List              // of *entry, the one used last in front
	bytes   int                    // of the texts of entries
	known   map[text]*list.Element // shortcuts to entries, see lookup
	held    int                    // bytes that known keeps in memory
}

// text is where a schema is in memory. As a key it keeps the schema there, so
// that no other text can take its place.
type text struct {
	first  *byte
	length int
}

// entry is one schema, compiled once.
type entry struct {
	key     [sha256.Size]byte
	size    int // of the schema's text
	once    sync.Once
	checker *checker // nil when the schema cannot be applied

	mu      sync.Mutex
	problem error
}

// Check lists what is wrong with args, sorted by place; an empty args means {}.
// No details and no error mean that args may be sent. The error is of kind
// Invalid and means that args is not JSON that could be sent at all. The bytes of
// schema must never change.
func (v *Validator) Check(schema, args json.RawMessage) ([]toolscript.Detail, error) {
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	value, err := decode(args)
	if err != nil {
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf("read the arguments: %w", err)}
	}
	if _, ok := value.(map[string]any); !ok {
		return []toolscript.Detail{{Message: "expected object, got " + typeOf(value)}}, nil
	}
	if schema == nil {
		return nil, nil
	}
	e := v.entry(schema)
	if e.checker == nil {
		return nil, nil
	}
	details, err := e.checker.check(value)
	if err != nil {
		e.fail(err)
		return nil, nil
	}
	return details, nil
}

// Problem says why a schema is not applied, or was not applied to some
// arguments; nil when all is well. It is the same error every time.
func (v *Validator) Problem(schema json.RawMessage) error {
	if schema == nil {
		return nil
	}
	e := v.entry(schema)
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.problem
}

// Noticed is the problem of a schema that Check has met so far. It compiles
// nothing: to look at all schemas of a large catalog would take seconds.
func (v *Validator) Noticed(schema json.RawMessage) error {
	v.mu.Lock()
	at := v.entries[sha256.Sum256(schema)]
	v.mu.Unlock()
	if at == nil {
		return nil
	}
	e := at.Value.(*entry)
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.problem
}

// entry is the compiled schema, compiled now if need be. Others that need the
// same schema wait; those that need another do not.
func (v *Validator) entry(schema json.RawMessage) *entry {
	e := v.lookup(schema)
	e.once.Do(func() {
		c, err := compile(schema)
		if err != nil {
			e.fail(fmt.Errorf("arguments are not checked: %w", err))
			return
		}
		e.checker = c
	})
	return e
}

// lookup is the entry of a schema. The tools of a catalog keep their schemas, so
// that after the first call of each its place says which it is; the hash of 1.5 KB
// is a tenth of a check.
func (v *Validator) lookup(schema json.RawMessage) *entry {
	at := text{length: len(schema)}
	if len(schema) > 0 {
		at.first = &schema[0]
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	known := v.known[at]
	if known == nil {
		known = v.hashed(sha256.Sum256(schema), len(schema))
		v.remember(at, known)
	}
	v.recent.MoveToFront(known)
	return known.Value.(*entry)
}

// remember keeps the place of a schema. All are forgotten when they are too many:
// some are of catalogs that are gone. The limits are those of hashed, and a schema
// may have several places, so that none is known whose entry has been dropped.
func (v *Validator) remember(at text, known *list.Element) {
	if v.known == nil || len(v.known) == maxSchemas || v.held+at.length > maxBytes {
		v.known, v.held = map[text]*list.Element{}, 0
	}
	v.known[at] = known
	v.held += at.length
}

// hashed is the entry of the schema with that hash, a new one if need be.
func (v *Validator) hashed(key [sha256.Size]byte, size int) *list.Element {
	if at, ok := v.entries[key]; ok {
		return at
	}
	if v.entries == nil {
		v.entries = map[[sha256.Size]byte]*list.Element{}
	}
	at := v.recent.PushFront(&entry{key: key, size: size})
	v.entries[key] = at
	v.bytes += size
	for v.recent.Len() > maxSchemas || v.bytes > maxBytes && v.recent.Len() > 1 {
		oldest := v.recent.Remove(v.recent.Back()).(*entry)
		delete(v.entries, oldest.key)
		v.bytes -= oldest.size
	}
	return at
}

// fail keeps the first problem.
func (e *entry) fail(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.problem == nil {
		e.problem = err
	}
}
