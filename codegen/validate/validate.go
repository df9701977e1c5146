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

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolscript/toolscript"
)

const (
	maxSchemas   = 4096 // compiled ones kept
	maxArguments = 256  // levels that arguments may nest
)

// Validator compiles schemas when they are first needed and keeps them. The
// zero value is ready; it is safe for concurrent use.
type Validator struct {
	mu      sync.Mutex
	entries map[[sha256.Size]byte]*list.Element
	recent  list.List // of *entry, the one used last in front
}

// entry is one schema, compiled once.
type entry struct {
	key     [sha256.Size]byte
	once    sync.Once
	checker *checker // nil when the schema cannot be applied

	mu      sync.Mutex
	problem error
}

// Check lists what is wrong with args, sorted by place; an empty args means {}.
// No details and no error mean that args may be sent. The error is of kind
// Invalid and means that args is not JSON that could be sent at all.
func (v *Validator) Check(schema, args json.RawMessage) ([]toolscript.Detail, error) {
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	value, err := parse(args)
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
	e := v.lookup(sha256.Sum256(schema))
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

func (v *Validator) lookup(key [sha256.Size]byte) *entry {
	v.mu.Lock()
	defer v.mu.Unlock()
	if at, ok := v.entries[key]; ok {
		v.recent.MoveToFront(at)
		return at.Value.(*entry)
	}
	if v.entries == nil {
		v.entries = map[[sha256.Size]byte]*list.Element{}
	}
	e := &entry{key: key}
	v.entries[key] = v.recent.PushFront(e)
	if v.recent.Len() > maxSchemas {
		oldest := v.recent.Remove(v.recent.Back()).(*entry)
		delete(v.entries, oldest.key)
	}
	return e
}

// fail keeps the first problem.
func (e *entry) fail(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.problem == nil {
		e.problem = err
	}
}

// parse reads a JSON text, its numbers exactly.
func parse(text []byte) (any, error) {
	// The decoder recurses as deep as the text nests, and so does everything
	// after it.
	if depth(text) > maxArguments {
		return nil, fmt.Errorf("it nests deeper than %d levels", maxArguments)
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(text))
}

// depth is how deep a JSON text nests, found without recursion.
func depth(text []byte) int {
	deepest, now := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			now++
			deepest = max(deepest, now)
		case '}', ']':
			now--
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		}
	}
	return deepest
}
