package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/cmd/terminal"
)

type runsWaitOptions struct {
	*app.App
	timeout app.Duration
	form    terminal.Form
	made    string // text about what a failed run has done
}

func newRunsWait(a *app.App) *cobra.Command {
	o := &runsWaitOptions{App: a}
	c := &cobra.Command{
		Use:   "wait RUN",
		Short: "Wait for the end of a run",
		Long: `Wait for the end of a run of the gateway, or of a command without one, and end with its exit
code. After --timeout, the exit code is 124, and the run goes on. Ctrl-C ends the command and not the run.`,
		Example: `  toolscript runs wait run_01ARZ3NDEK --timeout 30s`,
		Args:    app.Takes("RUN"),
		RunE:    func(c *cobra.Command, args []string) error { return o.run(c.Context(), args[0]) },
	}
	c.Flags().Var(&o.timeout, "timeout", "wait at most this `duration`, such as 30s (default without end)")
	terminal.AddForm(c.Flags(), &o.form, "print the record of the run as JSON")
	return c
}

func (o *runsWaitOptions) run(ctx context.Context, id string) error {
	waiting := ctx
	if o.timeout > 0 {
		var cancel context.CancelFunc
		waiting, cancel = context.WithTimeout(ctx, time.Duration(o.timeout))
		defer cancel()
	}
	over := o.Waiting("waiting for " + id)
	record, err := o.await(ctx, waiting, id)
	over()
	if err != nil {
		return err
	}
	if record.EndedAt == nil {
		o.Say("toolscript: %s has not ended after %s", id, time.Duration(o.timeout))
		return &app.Error{Code: app.TimedOut}
	}
	if o.form.Structured() {
		if err := o.form.Write(o.Stdout, record); err != nil {
			return err
		}
	}
	if record.OK != nil && *record.OK && *record.ExitCode == 0 {
		return nil
	}
	if record.Error != nil {
		o.Say("%s: %s", record.Error.Name, record.Error.Message)
	}
	if len(record.Calls) > 0 { // the record comes from a gateway
		end := toolscript.End{Kind: record.Kind}
		end.Make(record.Calls)
		o.made = end.MadeText(id)
	}
	if o.made != "" {
		o.Say("%s", o.made)
	}
	return &app.Error{Code: cmp.Or(*record.ExitCode, app.Failure)}
}

// await returns the record of a run when the run has ended or waiting is over.
func (o *runsWaitOptions) await(ctx, waiting context.Context, id string) (toolscript.RunRecord, error) {
	if o.Target.URL == "" && o.Host.DetachedRuns().Has(id) {
		return o.awaitDetached(ctx, waiting, id)
	}
	g, err := o.Target.Require(ctx)
	if errors.Is(err, app.ErrNone) {
		return awaitRun(ctx, waiting, func(ctx context.Context) (toolscript.RunRecord, error) { return o.audited(ctx, id) })
	}
	if err != nil {
		return o.ended(ctx, id, err)
	}
	defer g.Close()
	record, err := awaitRun(ctx, waiting, func(ctx context.Context) (toolscript.RunRecord, error) { return g.Run(ctx, id) })
	if toolscript.KindOf(err) == toolscript.NotFound {
		return o.ended(ctx, id, err)
	}
	return record, err
}

// audited returns the record of a run from the audit. If the run has no end, its process must exist.
func (o *runsWaitOptions) audited(ctx context.Context, id string) (toolscript.RunRecord, error) {
	h, err := history(ctx, o.App)
	if err != nil {
		return toolscript.RunRecord{}, err
	}
	r, err := h.Run(id)
	if err != nil {
		return toolscript.RunRecord{}, err
	}
	if _, gone := discovery.Identify(r.PID); r.ExitCode == nil && gone != nil {
		if record, err := o.ended(ctx, id, gone); err == nil { // the run has ended in the meantime
			return record, nil
		}
		return toolscript.RunRecord{}, &toolscript.Error{Kind: toolscript.Unavailable, Err: fmt.Errorf(
			"the audit has no end of %s: process %d, which ran it, was killed (%w); what the run has done: %s", id, r.PID, gone, toolscript.Command("runs", "show", id))}
	}
	return recordOf(r), nil
}

// ended returns the record of an ended run that no gateway knows any more, from the audit. If the audit has
// no end of the run, the error is unknown.
func (o *runsWaitOptions) ended(ctx context.Context, id string, unknown error) (toolscript.RunRecord, error) {
	h, err := history(ctx, o.App)
	if err != nil {
		return toolscript.RunRecord{}, unknown
	}
	r, err := h.Run(id)
	if err != nil || r.ExitCode == nil {
		return toolscript.RunRecord{}, unknown
	}
	return recordOf(r), nil
}

// recordOf converts a run of the audit to a record.
func recordOf(r Run) toolscript.RunRecord {
	record := toolscript.RunRecord{RunID: r.RunID, File: r.File, Engine: r.Engine, StartedAt: r.StartedAt, Calls: []toolscript.CallRecord{}}
	if r.ExitCode == nil {
		return record
	}
	end := toolscript.End{OK: r.Outcome == toolscript.OutcomeOK, ExitCode: *r.ExitCode}
	if !end.OK {
		end.Kind = toolscript.Kind(r.Outcome)
	}
	record.Close(end)
	*record.EndedAt = r.StartedAt.Add(time.Duration(r.Ms * float64(time.Millisecond)))
	return record
}

// awaitDetached waits for the end of a detached run in its events, which works even if its gateway has ended.
// If a gateway has a record of the run, this record is returned, because it says more.
func (o *runsWaitOptions) awaitDetached(ctx, waiting context.Context, id string) (toolscript.RunRecord, error) {
	store, record := o.Host.DetachedRuns(), toolscript.RunRecord{RunID: id}
	err := store.Follow(waiting, id, true, func(e toolscript.Event) error {
		if e.End != nil {
			o.made = e.MadeText(id)
			record.Close(*e.End)
		}
		return nil
	})
	if record.EndedAt == nil {
		if waiting.Err() != nil {
			err = ctx.Err()
		}
		return record, err
	}
	*record.EndedAt = store.Changed(id)
	if g, _ := o.Target.Find(ctx); g != nil {
		defer g.Close()
		if known, err := g.Run(ctx, id); err == nil && known.EndedAt != nil {
			return known, nil
		}
	}
	return record, nil
}

// The pause between two polls of a run doubles from firstLook to lastLook.
const (
	firstLook = 20 * time.Millisecond
	lastLook  = time.Second
)

// awaitRun polls a run with look until the run has ended or waiting is over. It returns the error of look or
// of ctx.
func awaitRun(ctx, waiting context.Context, look func(context.Context) (toolscript.RunRecord, error)) (toolscript.RunRecord, error) {
	for pause := firstLook; ; pause = min(2*pause, lastLook) {
		record, err := look(ctx)
		if err != nil || record.EndedAt != nil {
			return record, err
		}
		select {
		case <-waiting.Done():
			return record, ctx.Err()
		case <-time.After(pause):
		}
	}
}
