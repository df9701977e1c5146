package runs

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// quietTime is how long a run waits for servers before it reports the wait. Most servers
// connect within this time. After that, changes are reported every reportTime.
const (
	quietTime  = 300 * time.Millisecond
	reportTime = time.Second
)

// awaitTypes waits for the servers without which the script cannot be checked: those that the
// script names and whose tools are not known. A script that does not name its servers waits for
// all others too, but only for ListTime, because it may not use them. If a tool that the run
// needs cannot be called, the error has the kind MissingTools.
func (w *work) awaitTypes(ctx context.Context, uses runner.Uses) error {
	if uses.All {
		if err := w.awaitOthers(ctx); err != nil {
			return err
		}
	}
	if used := w.used(uses); len(used) > 0 { // an empty filter selects every server
		if err := w.await(ctx, w.deps.Unlisted(used)); err != nil {
			return err
		}
		w.warnUnlisted(used)
	}
	needs, allow := w.request.Needs, w.request.Allow
	if len(needs) > 0 {
		if err := w.await(ctx, w.deps.Needed(needs, allow)); err != nil {
			return err
		}
	}
	w.warnUnknown()
	if len(needs) > 0 {
		if err := w.deps.Missing(needs, allow); err != nil {
			return w.fail(toolscript.Checking, err)
		}
	}
	return nil
}

// awaitOthers waits for the servers that the script may use, and warns of servers whose tools
// are still unknown.
func (w *work) awaitOthers(ctx context.Context) error {
	allow := w.request.Allow
	if slices.ContainsFunc(allow, reachesAll) {
		allow = nil
	}
	limited, cancel := context.WithTimeout(ctx, w.deps.ListTime)
	defer cancel()
	if err := w.await(limited, w.deps.Unlisted(allow)); err != nil {
		return err
	}
	if ctx.Err() == nil {
		w.warnUnlisted(allow)
	}
	return nil
}

// warnUnlisted warns of the servers that f reaches whose tools are still unknown.
func (w *work) warnUnlisted(f toolscript.Filter) {
	if missing := w.deps.Unlisted(f); len(missing) > 0 {
		w.warn("the tools of these servers are not known yet, so the script does not see them: " +
			strings.Join(missing, ", ") + "; see: toolscript list-servers")
	}
}

// await waits up to ConnectTime for servers. A call to a server that is not connected afterwards
// fails with the reason. The wait counts toward the time limit of the run.
func (w *work) await(ctx context.Context, servers toolscript.Filter) error {
	if len(servers) == 0 {
		return nil
	}
	w.enter("waiting")
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, min(w.deps.ConnectTime, w.timeLeft()))
	defer cancel()
	waited := make(chan struct{})
	var reports sync.WaitGroup
	reports.Go(func() { w.reportWait(waited, servers) })
	w.deps.Await(ctx, servers)
	close(waited)
	reports.Wait()
	w.waited += time.Since(began)
	if w.timeLeft() > 0 {
		return nil
	}
	return w.fail(toolscript.Checking, &toolscript.Error{Kind: toolscript.LimitTime, Err: fmt.Errorf(
		"the limit of %d ms was over before %s had connected; allow more with --timeout", w.limits.TimeoutMs, strings.Join(servers, ", "))})
}

// reportWait emits the servers that the run waits for, and their states, whenever they change.
func (w *work) reportWait(over <-chan struct{}, servers toolscript.Filter) {
	said := ""
	for next := time.NewTicker(quietTime); ; {
		select {
		case <-over:
			next.Stop()
			return
		case <-next.C:
			next.Reset(reportTime)
		}
		if now := strings.Join(w.deps.Connecting(servers), ", "); now != "" && now != said {
			said = now
			w.events.emit(toolscript.Event{Type: toolscript.EventProgress, Message: "waiting for " + now + " to connect"})
		}
	}
}

// timeLeft returns the time limit of the run minus the waits for servers.
func (w *work) timeLeft() time.Duration {
	return time.Duration(w.limits.TimeoutMs)*time.Millisecond - w.waited
}

// limitsLeft returns the limits of the sandbox.
func (w *work) limitsLeft() toolscript.Limits {
	limits := w.limits
	limits.TimeoutMs = max(1, limits.TimeoutMs-w.waited.Milliseconds())
	limits.ValueBytes = ceilings.ValueBytes // this process enforces the limit of the run and keeps larger values
	return limits
}

// used returns the servers that the script names.
func (w *work) used(uses runner.Uses) toolscript.Filter {
	f := w.flatUsed(uses)
	for _, s := range w.deps.Names().Servers {
		if slices.Contains(uses.Servers, s.Ident) && !slices.Contains(f, s.Name) {
			f = append(f, s.Name)
		}
	}
	return f
}

// usedAndKnown returns the servers that the script names and whose tools are known.
func (w *work) usedAndKnown(uses runner.Uses) (f toolscript.Filter) {
	used := w.used(uses)
	if len(used) == 0 {
		return nil
	}
	unlisted := w.deps.Unlisted(used)
	return slices.DeleteFunc(used, func(name string) bool { return slices.Contains(unlisted, name) })
}

// reachesAll reports whether an entry of the allow list is a builtin that reaches any server,
// such as $resources.
func reachesAll(entry string) bool {
	return strings.HasPrefix(entry, "$") && !strings.HasPrefix(entry, toolscript.ScriptsServer)
}
