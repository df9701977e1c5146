package runs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/actors/runs/kept"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/exec"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/runner"
)

type replayOptions struct {
	*app.App
	script   string
	identity string
	form     terminal.Form
}

func newRunsReplay(a *app.App) *cobra.Command {
	o := &replayOptions{App: a}
	c := &cobra.Command{
		Use:   "replay RUN",
		Short: "Run a recorded script again with its recorded results",
		Long: `Run a recorded script again with its recorded results.

exec --record records a run. A replay starts no server and makes no call: each call of
the script gets the recorded answer, in the recorded order. If the script makes another
call, or returns another value, the differences are printed, and the exit code is 4.
Scripts that use the time or random numbers can differ each time.

--script runs a changed script with the same answers. Its types are not checked. Every
replay runs on QuickJS.`,
		Example: `  toolscript runs replay run_0123456789abcdef
  toolscript runs replay run_0123456789abcdef --script fixed.ts`,
		Args: app.Takes("RUN"),
		RunE: func(c *cobra.Command, args []string) error { return o.run(c.Context(), args[0]) },
	}
	c.Flags().StringVar(&o.script, "script", "", "run this `file` instead of the recorded script")
	c.Flags().StringVar(&o.identity, "identity", "", "the `file` with the private key of age, for an encrypted recording")
	terminal.AddForm(c.Flags(), &o.form, "print the differences as JSON")
	return c
}

func (o *replayOptions) run(ctx context.Context, id string) error {
	store, err := o.Host.Recordings(nil)
	if err != nil {
		return err
	}
	if !store.Has(id) {
		_, err := store.Load(id, "")
		return err
	}
	var script *ReplayScript
	if o.script != "" {
		code, err := os.ReadFile(o.Absolute(o.script))
		if err != nil {
			return fmt.Errorf("--script %s: %s", o.script, terminal.WithoutPath(err))
		}
		script = &ReplayScript{Code: string(code), File: filepath.Base(o.script), Modules: exec.Modules(o.Absolute(o.script), string(code))}
	}
	out := terminal.Filter(o.Stderr) // stdout has the result
	report, err := Replay(ctx, func() (kept.Recording, error) { return store.Load(id, o.Absolute(o.identity)) }, script, o.Host.WorkerOptions(o.Logger(slog.LevelWarn)), func(_ runner.Stream, text string) {
		_, _ = io.WriteString(out, text) // a closed stderr must not change the replay
	})
	err = errors.Join(err, out.Close())
	if err != nil {
		return err
	}
	if o.form.Structured() {
		err = o.form.Write(o.Stdout, report)
	} else {
		err = o.Print("%s", replayWords(report))
	}
	if err == nil && !report.Same {
		err = &app.Error{Code: app.Diverged}
	}
	return err
}

func replayWords(r ReplayReport) string {
	if r.Same {
		return fmt.Sprintf("%s: the same calls (%d) and the same end", r.RunID, r.Calls)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s diverges: %d calls, recorded %d", r.RunID, r.Calls, r.Recorded)
	for _, d := range r.Divergences {
		text.WriteString("\n  " + terminal.OneLine(d.String()))
	}
	if r.Cut {
		text.WriteString("\n  the recording was too large and is not complete")
	}
	return text.String()
}
