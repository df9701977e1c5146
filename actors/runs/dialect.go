package runs

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/runner"
)

// dialect reports whether the script is part of the answer of a model.
func (w *work) dialect() bool { return w.request.Dialect == toolscript.DialectHarness }

// names returns the names that the script sees. In the dialect, built-in tools also have flat
// names.
func (w *work) names() *naming.Names {
	if !w.dialect() {
		return w.deps.Names()
	}
	return w.deps.Names().WithFlat(w.deps.Builtins())
}

// types returns the declarations against which the script is checked.
func (w *work) types(ctx context.Context, uses runner.Uses) (runner.Declarations, error) {
	switch {
	case w.dialect():
	case w.request.Profile != "" && w.deps.Narrowed != nil:
		return w.deps.Narrowed(ctx, uses, w.request.Allow)
	default:
		return w.deps.Types(ctx, uses)
	}
	return w.deps.Dialect(ctx, uses, w.request.Allow)
}

// flatUsed returns the servers of built-in tools if the script may use a flat name. Only after
// they have connected is it known which of them has the tool.
func (w *work) flatUsed(uses runner.Uses) toolscript.Filter {
	if !w.dialect() {
		return nil
	}
	names := w.deps.Names()
	for _, name := range uses.Servers {
		if _, isServer := names.Server(name); !isServer && naming.IsServer(name) {
			return w.deps.Builtins()
		}
	}
	return nil
}

// named returns the tools in the member expressions of a script. Three parts, as in a.b.c, are
// a flat name, such as agents.llm.chat, or a tool of a server and a member of the function.
func (w *work) named(members []string) []string {
	names := w.deps.Names()
	out := []string{}
	for _, member := range members {
		parts := strings.SplitN(member, ".", 3)
		if _, isServer := names.Server(parts[0]); isServer && len(parts) == 3 {
			member = parts[0] + "." + parts[1]
		}
		out = append(out, member)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// answerContext returns the context of the script of an answer; nil for other scripts.
func (w *work) answerContext() *runner.AnswerContext {
	if !w.dialect() {
		return nil
	}
	return &runner.AnswerContext{ConversationID: w.request.ConversationID, ScriptID: cmp.Or(w.request.ScriptID, w.id)}
}
