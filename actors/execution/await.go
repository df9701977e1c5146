package execution

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// quietTime is how long a run waits for servers before it reports that. Most servers
// connect within it.
const quietTime = 300 * time.Millisecond

// await waits up to ConnectTime for the servers that the script uses or needs. A call to a
// server that is not connected afterwards fails with the reason.
func (w *work) await(ctx context.Context, uses runner.Uses) {
	filter, some := w.used(uses)
	if len(w.request.Needs) > 0 && (!some || filter != nil) {
		filter = append(slices.Clip(filter), w.deps.Needed(w.request.Needs, w.request.Allow)...)
		some = len(filter) > 0
	}
	if !some {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, w.deps.ConnectTime)
	defer cancel()
	said := make(chan struct{})
	quiet := time.AfterFunc(quietTime, func() {
		defer close(said)
		if connecting := w.deps.Connecting(filter); len(connecting) > 0 {
			w.events.emit(toolscript.Event{
				Type: toolscript.EventProgress, Message: "waiting for " + strings.Join(connecting, ", ") + " to connect",
			})
		}
	})
	w.deps.Await(ctx, filter)
	if !quiet.Stop() {
		<-said
	}
}

// used returns the servers that the script uses.
func (w *work) used(uses runner.Uses) (toolscript.Filter, bool) {
	if uses.All && slices.ContainsFunc(w.request.Allow, reachesAll) {
		return nil, true
	}
	if uses.All {
		return w.request.Allow, true // nil: every server
	}
	f := w.flatUsed(uses)
	for _, s := range w.deps.Names().Servers {
		if slices.Contains(uses.Servers, s.Ident) && !slices.Contains(f, s.Name) {
			f = append(f, s.Name)
		}
	}
	return f, len(f) > 0
}

// reachesAll reports whether an entry of the allow list is a member of tools that
// reaches any server, such as $resources.
func reachesAll(entry string) bool {
	return strings.HasPrefix(entry, "$") && !strings.HasPrefix(entry, toolscript.ScriptsServer)
}
