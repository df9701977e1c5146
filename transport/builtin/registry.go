package builtin

import (
	"fmt"
	"slices"
	"sync"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/transport/builtin/documents"
	"github.com/toolscript/toolscript/transport/builtin/tool"
	"github.com/toolscript/toolscript/transport/builtin/web"
	"github.com/toolscript/toolscript/transport/builtin/workspace"
)

// standard lists all built-in tools.
var standard = []tool.Tool{
	workspace.ReadFile,
	workspace.ListDir,
	workspace.ApplyPatch,
	workspace.GrepFiles,
	workspace.FileSearch,
	workspace.WriteFile,
	Exec,
	web.WebSearch,
	web.FetchURL,
	UpdatePlan,
	workspace.ViewImage,
	ListResources,
	ListResourceTemplates,
	ReadResource,
	documents.SaveToFC,
	documents.FetchFromFC,
	documents.SavePrompt,
	documents.GetPrompt,
	Chat,
	LaunchSync,
	LaunchAsync,
	LaunchResult,
}

// Registry maps names to tools. It is safe for concurrent use.
type Registry struct {
	mu    sync.RWMutex
	tools map[string]tool.Tool
	names []string // in the order of registration
}

// NewRegistry returns a Registry with the built-in tools.
func NewRegistry() *Registry {
	r := &Registry{tools: map[string]tool.Tool{}}
	for _, t := range standard {
		r.Register(t)
	}
	return r
}

// Register adds a tool, or replaces the tool of the same name.
func (r *Registry) Register(t tool.Tool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.tools[t.Name]; !known {
		r.names = append(r.names, t.Name)
	}
	r.tools[t.Name] = t
}

// Get returns the tool with a name.
func (r *Registry) Get(name string) (t tool.Tool, known bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	t, known = r.tools[name]
	return t, known
}

// Has reports whether there is a tool with a name.
func (r *Registry) Has(name string) bool {
	_, known := r.Get(name)
	return known
}

// List returns the names of all tools in the order of their registration.
func (r *Registry) List() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Clone(r.names)
}

// DefaultTools is the tool pack of a server whose configuration names no tools.
const DefaultTools = "file-ops"

// Select returns the names of the tools that a list of packs and tools selects. An empty
// list selects DefaultTools. Tools of packs that the Registry lacks are left out. The error
// is Invalid if an entry is neither a pack nor a tool.
func (r *Registry) Select(packs toolscript.ToolPacks, entries []string) ([]string, error) {
	if len(entries) == 0 {
		entries = []string{DefaultTools}
	}
	for _, entry := range entries {
		if _, isPack := packs.Pack(entry); isPack || entry == toolscript.AllTools || r.Has(entry) {
			continue
		}
		known := append(r.List(), packs.Names()...)
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf(
			"there is no built-in tool or tool pack %q%s", entry, naming.DidYouMean(naming.Nearest(entry, known, 3)))}
	}
	tools, all, err := packs.Resolve(entries...)
	if all {
		return r.List(), err
	}
	return slices.DeleteFunc(tools, func(name string) bool { return !r.Has(name) }), err
}
