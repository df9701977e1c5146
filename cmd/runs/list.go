package runs

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/audit"
	"github.com/toolscript/toolscript/actors/runs/kept"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// New returns the command runs.
func New(a *app.App) *cobra.Command {
	var out terminal.Form
	var last int
	c := &cobra.Command{
		Use:   "list",
		Short: "List the last runs",
		Long: `List the last runs, the newest first, of all gateways and of commands without one.

The list comes from the audit. Runs that a running gateway of this configuration has not
written yet are in the list too.`,
		Args: app.Takes(),
		RunE: func(c *cobra.Command, _ []string) error { return listRuns(c.Context(), a, last, out) },
	}
	c.Flags().IntVarP(&last, "last", "n", 20, "list this `number` of runs; 0 lists all")
	terminal.AddForm(c.Flags(), &out, "print the runs as JSON")
	return app.Group("runs", "Show what runs did, and run them again", c, newRunsShow(a), newRunsWait(a), newRunsOutput(a), newRunsAbort(a), newRunsReplay(a), newRunsDiff(a))
}

func newRunsShow(a *app.App) *cobra.Command {
	var out terminal.Form
	var html string
	c := &cobra.Command{
		Use:   "show RUN",
		Short: "Show one run and its calls",
		Long: `Show one run and its calls. A terminal also shows when each of the first calls was made, how
long it waited, and how long it took.

--html writes all of that to a file, which needs nothing else and has no scripts. Like the
audit, it has no arguments, no results and no secrets.`,
		Example: `  toolscript runs show run_0123456789abcdef
  toolscript runs show run_0123456789abcdef --html run.html`,
		Args: app.Takes("RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			if html != "" {
				return writeRun(c.Context(), a, args[0], html)
			}
			return showRun(c.Context(), a, args[0], out)
		},
	}
	c.Flags().StringVar(&html, "html", "", "write the run and its calls over time to this `file`, instead of printing them")
	terminal.AddForm(c.Flags(), &out, "print the run as JSON")
	return c
}

// history returns all runs: those in the audit, those of the gateway and those that are detached.
func history(ctx context.Context, a *app.App) (*History, error) {
	dir, err := a.Host.AuditFolder()
	if err != nil {
		return nil, err
	}
	h, err := ReadHistory(dir)
	if err != nil {
		return nil, err
	}
	if store, err := a.Host.Recordings(nil); err == nil {
		h.Recorded(store.Has)
	}
	g, err := a.Target.Find(ctx)
	if err != nil && a.Target.URL != "" {
		return nil, err
	}
	if g != nil {
		defer g.Close()
		live, err := g.Runs(ctx)
		if err != nil {
			return nil, err
		}
		h.Add(live)
		h.Calling(func(id string) (toolscript.RunRecord, error) { return g.Run(ctx, id) })
	}
	h.Detached(a.Host.DetachedRuns())
	return h, nil
}

func listRuns(ctx context.Context, a *app.App, last int, out terminal.Form) error {
	h, err := history(ctx, a)
	if err != nil {
		return err
	}
	runs := h.Runs()
	if last > 0 {
		runs = runs[:min(last, len(runs))]
	}
	if out.Structured() {
		return out.Write(a.Stdout, runs)
	}
	if len(runs) == 0 {
		return a.Print("There are no runs yet.")
	}
	t := terminal.Table{Header: []string{"Run", "Started", "ms", "Calls", "Outcome", "File or tool", "Client"}, Less: []string{"Client"}}
	for _, r := range runs {
		t.Add(r.RunID, terminal.LocalTime(r.StartedAt), fmt.Sprintf("%.0f", r.Ms), fmt.Sprint(r.Calls), r.Outcome, cmp.Or(r.Tool, r.File), r.Client)
	}
	if err := t.Write(a.Stdout, terminal.Columns(a.Stdout), nil); err != nil {
		return err
	}
	return detachedUsage(a)
}

// recordedRun returns the run of an id in the history.
func recordedRun(ctx context.Context, a *app.App, id string) (Run, error) {
	h, err := history(ctx, a)
	if err != nil {
		return Run{}, err
	}
	return h.Run(id)
}

func showRun(ctx context.Context, a *app.App, id string, out terminal.Form) error {
	r, err := recordedRun(ctx, a, id)
	if err != nil {
		return err
	}
	if out.Structured() {
		return out.Write(a.Stdout, r)
	}
	if err := a.Print("%s  %s  %s  %s  %.0f ms  %d calls", r.RunID, r.Outcome, terminal.OneLine(cmp.Or(r.Tool, r.File)), terminal.LocalTime(r.StartedAt), r.Ms, r.Calls); err != nil {
		return err
	}
	if r.Client != "" {
		session := cmp.Or(terminal.OneLine(r.Session), "none")
		if err := a.Print("client %s, session %s, process %d", terminal.OneLine(r.Client), session, r.PID); err != nil {
			return err
		}
	}
	if r.Detached {
		if err := a.Print("detached: %s", toolscript.Command("runs", "output", r.RunID)); err != nil {
			return err
		}
	}
	if r.Host != "" {
		if err := a.Print("in a sandbox of the fleet on %s", terminal.OneLine(r.Host)); err != nil {
			return err
		}
	}
	if r.Recorded {
		if err := a.Print("recorded: %s", toolscript.Command("runs", "replay", r.RunID)); err != nil {
			return err
		}
	}
	if len(r.Unfinished) > 0 {
		if err := a.Print("cancelled when the script ended: %s", terminal.OneLine(toolscript.UnfinishedTools(r.Unfinished))); err != nil {
			return err
		}
	}
	if len(r.CallLines) == 0 {
		return nil
	}
	columns := terminal.Columns(a.Stdout)
	if columns == 0 {
		return printCalls(a, r.CallLines, 0)
	}
	w := WaterfallOf(r)
	if err := w.Text(a.Stdout, columns); err != nil {
		return err
	}
	if err := a.Print(""); err != nil {
		return err
	}
	shown := r.CallLines[:min(len(r.CallLines), MostWaterfallRows)]
	if err := printCalls(a, shown, columns); err != nil || len(shown) == len(r.CallLines) {
		return err
	}
	return a.Print("%d more calls are not shown; list all with: %s | cat", len(r.CallLines)-len(shown), toolscript.Command("runs", "show", r.RunID))
}

// printCalls prints calls as a table for a terminal of columns; 0: no terminal.
func printCalls(a *app.App, calls []audit.Line, columns int) error {
	t := terminal.Table{
		Header: []string{"Call", "Tool", "ms", "Outcome", "Arguments", "Result", "Approval"},
		Less:   []string{"Arguments", "Result"}, // hashes
	}
	hosts := columns == 0 || slices.ContainsFunc(calls, func(c audit.Line) bool { return c.Host != "" })
	if hosts {
		t.Header = append(t.Header, "Host")
	}
	for _, c := range calls {
		row := []string{c.Call, c.Tool, fmt.Sprintf("%.1f", c.Ms), c.Outcome, ShortData(c.Args), ShortData(c.Result), c.Approval}
		if hosts {
			row = append(row, c.Host)
		}
		t.Add(row...)
	}
	return t.Write(a.Stdout, columns, nil)
}

// writeRun writes a run as HTML and replaces the file. If there is no such run, the file stays as it is.
func writeRun(ctx context.Context, a *app.App, id, file string) error {
	r, err := recordedRun(ctx, a, id)
	if err != nil {
		return err
	}
	w := WaterfallOf(r)
	var text bytes.Buffer
	if err := w.HTML(&text); err != nil {
		return err
	}
	if err := os.WriteFile(a.Absolute(file), text.Bytes(), 0o600); err != nil {
		return fmt.Errorf("--html %s: %s", file, terminal.WithoutPath(err))
	}
	return nil
}

// detachedUsage prints how much of their limits detached runs use, if there are such runs.
func detachedUsage(a *app.App) error {
	u := a.Host.DetachedRuns().Usage()
	if u.Runs == 0 {
		return nil
	}
	return a.Print("Detached runs: %d of %d have not ended; the output of %d of %d is kept for %d days, %.1f of %d MB.",
		u.Running, kept.MostDetachedRunning, u.Runs, kept.MostDetachedRuns, kept.MostEventsAge/(24*time.Hour), float64(u.Bytes)/(1<<20), kept.MostEvents>>20)
}
