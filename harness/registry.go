package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen/validate"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Tool is a Go function that scripts and structured calls may call.
type Tool struct {
	Name        string // a letter, then letters, digits, "_", "." and "-"; at most 64 characters
	Description string

	Input  json.RawMessage // JSON Schema of the arguments, an object; nil accepts any object
	Output json.RawMessage // JSON Schema of the result, an object; nil accepts any value

	// RequiresApproval reports that a person must approve each call, unless the
	// approvals allow it; see toolscript.ApprovalPolicy.
	RequiresApproval bool

	// Annotations are hints for plans and approvals. For example, a plan makes only calls of
	// tools with the hint that they only read.
	Annotations toolscript.Annotations

	// Run makes one call. args is a JSON object that fits Input. The caller gets the result
	// as JSON; nil means an empty object. If Run returns an error, the call fails, and the
	// caller sees the text of the error. Run should return when ctx ends. It may be called
	// concurrently.
	Run func(ctx context.Context, args json.RawMessage) (any, error)
}

// Func returns a function for Tool.Run that decodes the arguments into a value of type A and
// calls f. Missing members of the arguments get their zero value.
func Func[A, R any](f func(context.Context, A) (R, error)) func(context.Context, json.RawMessage) (any, error) {
	return func(ctx context.Context, raw json.RawMessage) (any, error) {
		var args A
		if len(raw) > 0 {
			if err := json.Unmarshal(raw, &args); err != nil {
				return nil, fmt.Errorf("the arguments cannot be read: %w", err)
			}
		}
		return f(ctx, args)
	}
}

// Registry holds tools by name. Its zero value is empty. It is safe for concurrent use. A
// running gateway offers a tool as soon as it is registered.
type Registry struct {
	mu      sync.RWMutex
	tools   []Tool // in the order of registration
	changed map[*upstream.Conn]func()
}

// toolName matches the names that the APIs of models accept, and also names with dots.
var toolName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`) })

// Register adds a tool. The error is a *toolscript.Error: Conflict for a name that is
// already registered, otherwise Invalid.
func (r *Registry) Register(t Tool) error {
	if err := t.check(); err != nil {
		return &toolscript.Error{Kind: toolscript.Invalid, Tool: t.Name, Err: fmt.Errorf("register the tool %.80q: %w", t.Name, err)}
	}
	t.Input, t.Output = slices.Clone(t.Input), slices.Clone(t.Output)
	if t.Input == nil {
		t.Input = json.RawMessage(`{"type":"object"}`)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.find(t.Name); known {
		return &toolscript.Error{Kind: toolscript.Conflict, Tool: t.Name, Err: fmt.Errorf("register the tool %q: the name is taken", t.Name)}
	}
	r.tools = append(r.tools, t)
	for _, changed := range r.changed {
		changed()
	}
	return nil
}

func (t Tool) check() error {
	switch ident := naming.Identifier(t.Name); {
	case !toolName().MatchString(t.Name):
		return errors.New(`a name is a letter, then letters, digits, "_", "." and "-", and has at most 64 characters`)
	case ident == naming.Spawn:
		return fmt.Errorf("tools.%s is a member of toolscript", ident)
	case t.Run == nil:
		return errors.New("it has no function")
	}
	for what, schema := range map[string]json.RawMessage{"input": t.Input, "output": t.Output} {
		if err := checkSchema(schema); err != nil {
			return fmt.Errorf("the %s schema: %w", what, err)
		}
	}
	return nil
}

// checkSchema returns an error unless schema is nil or a valid schema of an object.
func checkSchema(schema json.RawMessage) error {
	if schema == nil {
		return nil
	}
	var root struct {
		Type any `json:"type"`
	}
	if err := json.Unmarshal(schema, &root); err != nil || !bytes.HasPrefix(bytes.TrimSpace(schema), []byte("{")) {
		return errors.New("it is not a JSON object")
	}
	if root.Type != "object" {
		return errors.New(`its type must be "object"`)
	}
	return validate.Schema(schema)
}

// Get returns the tool with the given name. known is false if there is none.
func (r *Registry) Get(name string) (t Tool, known bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.find(name)
}

func (r *Registry) find(name string) (Tool, bool) {
	i := slices.IndexFunc(r.tools, func(t Tool) bool { return t.Name == name })
	if i < 0 {
		return Tool{}, false
	}
	return r.tools[i], true
}

// Has reports whether a tool with the given name is registered.
func (r *Registry) Has(name string) bool {
	_, known := r.Get(name)
	return known
}

// List returns the names of all tools in the order of registration.
func (r *Registry) List() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	names := make([]string, len(r.tools))
	for i, t := range r.tools {
		names[i] = t.Name
	}
	return names
}

// dial returns a connection to the tools of the registry.
func (r *Registry) dial(_ context.Context, name string, _ upstream.Config, on upstream.Events) (*upstream.Conn, error) {
	var c *upstream.Conn
	c = upstream.New(upstream.Options{
		Name: name, Info: upstream.Info{Title: "Tools of this program", Version: toolscript.Version}, Tools: served{r}, Events: on,
		Closed: func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			delete(r.changed, c)
		},
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.changed == nil {
		r.changed = map[*upstream.Conn]func(){}
	}
	r.changed[c] = func() {
		if on.ToolsChanged != nil {
			on.ToolsChanged()
		}
	}
	return c, nil
}

// served adapts a Registry to upstream.Tools.
type served struct{ *Registry }

// Get implements upstream.Tools.
func (s served) Get(name string) (upstream.Tool, bool) {
	t, known := s.Registry.Get(name)
	return t.served(), known
}

// Tools implements upstream.Tools.
func (s served) Tools() []upstream.Tool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	all := make([]upstream.Tool, len(s.tools))
	for i, t := range s.tools {
		all[i] = t.served()
	}
	return all
}

func (t Tool) served() upstream.Tool {
	return upstream.Tool{
		Tool: toolscript.Tool{
			Name: t.Name, Description: t.Description, InputSchema: t.Input, OutputSchema: t.Output,
			Annotations: t.Annotations, RequiresApproval: t.RequiresApproval,
		},
		Run: func(ctx context.Context, _ string, args json.RawMessage) (any, error) {
			result, err := t.Run(ctx, args)
			if result == nil && err == nil {
				result = struct{}{}
			}
			return result, err
		},
	}
}
