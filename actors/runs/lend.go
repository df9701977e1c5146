package runs

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// maxSandboxes is how many sandboxes a run tries, one after the other, if they end before they have the script. The
// gateway may notice only at the next use that an idle process was killed.
const maxSandboxes = 3

// borrowTime bounds the wait for a free worker process.
const borrowTime = 2 * time.Minute

// allBusy returns the error after borrowTime.
func allBusy(role string) error {
	return &toolscript.Error{Kind: toolscript.Busy, Err: fmt.Errorf("every %s process has been busy for %s; try again", role, borrowTime)}
}

// lend borrows the sandbox of a run: from another machine if the configuration says so and the
// run can use it, else from this machine.
func (w *work) lend(ctx context.Context, compiled *runner.Compiled) (runner.Runner, GiveBack, error) {
	if w.request.Engine == toolscript.EngineDeno {
		return w.deps.Deno(ctx)
	}
	if w.deps.Remote == nil || !w.portable(compiled) {
		return w.deps.Sandbox(ctx)
	}
	s, err := w.deps.Remote(ctx)
	switch {
	case err == nil && s != nil:
		w.metrics.Host = s.Host()
		return elsewhere{s}, func(bool) { s.Close() }, nil
	case err != nil && (ctx.Err() != nil || toolscript.KindOf(err) != toolscript.Unavailable):
		return nil, nil, err
	case err != nil:
		w.warn(err.Error() + "; the script runs on this machine")
	}
	return w.deps.Sandbox(ctx)
}

// portable reports whether another machine can run the script: it does not read standard
// input, and it is not part of the answer of a model.
func (w *work) portable(compiled *runner.Compiled) bool {
	return w.request.Dialect == "" && (!w.request.Stdin || !strings.Contains(compiled.JavaScript, "stdin"))
}

// elsewhere is a sandbox of another machine, which has no standard input.
type elsewhere struct{ runner.Runner }

// Run implements runner.Runner.
func (e elsewhere) Run(ctx context.Context, j runner.Job, h runner.Host) (runner.Outcome, error) {
	j.Stdin = false
	return e.Runner.Run(ctx, j, h)
}

func (w *work) job(compiled runner.Compiled) runner.Job {
	env := map[string]string{}
	if url := w.deps.URL(w.capability); url != "" {
		env["TOOLSCRIPT_GATEWAY_URL"] = url
	}
	return runner.Job{
		RunID: w.id, File: w.request.File, Compiled: compiled,
		Args: w.request.Args, Cwd: w.request.Cwd, Env: env, TZ: w.request.TZ, Stdin: w.request.Stdin,
		Limits: w.limitsLeft(), Names: w.names(), Allow: w.request.Allow, Clock: w.questions.clock, Answer: w.answerContext(), Parameter: w.request.Parameter,
	}
}
