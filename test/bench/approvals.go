//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/workers"
	"github.com/toolscript/toolscript/runner/worker"
	"github.com/toolscript/toolscript/transport/upstream"
)

// approvedCalls is the number of calls that wait for an approval.
const approvedCalls = 200

// approvals measures the time from the answer of a person to the next output of the
// script, which includes the call itself.
func (b *bench) approvals(ctx context.Context) error {
	options := worker.Options{Executable: b.Bin, CacheDir: filepath.Join(b.Home, "engine")}
	s, err := actors.Start(actors.Options{
		Servers: map[string]upstream.Config{"s": {Type: upstream.Stdio, Command: b.self, Args: []string{asServer}}},
		Approvals: actors.Approvals{Policies: func() toolscript.Approvals {
			return toolscript.Approvals{{Default: toolscript.ApprovalAsk}}
		}},
		Scripts: actors.Scripts{
			StartChecker: func(ctx context.Context) (workers.Worker, error) { return worker.StartChecker(ctx, options) },
			StartSandbox: func(ctx context.Context) (workers.Worker, error) { return worker.StartSandbox(ctx, options) },
		},
	})
	if err != nil {
		return err
	}
	defer s.Close(context.WithoutCancel(ctx)) //nolint:errcheck // the measurement is done
	var answered time.Time
	var took []float64
	var failed error
	script := fmt.Sprintf("for (let i = 0; i < %d; i++) { %s; console.log(i) }", approvedCalls, echoCall)
	err = s.Exec(ctx, toolscript.ExecRequest{Code: script, Rules: toolscript.Rules{Check: toolscript.CheckOff}}, func(e toolscript.Event) error {
		switch {
		case e.Type == toolscript.EventApproval:
			answered = time.Now()
			return s.AnswerApproval(ctx, e.Approval.ID, toolscript.ApprovalAnswer{Action: toolscript.ApprovalAllow}, true)
		case e.Type == toolscript.EventStdout:
			took = append(took, milliseconds(time.Since(answered)))
		case e.End != nil && e.Error != nil:
			text, _ := json.Marshal(e.Error) // it was decoded from JSON
			failed = fmt.Errorf("the script failed: %s", text)
		}
		return nil
	})
	if err != nil || failed != nil {
		return errors.Join(err, failed)
	}
	if len(took) != approvedCalls {
		return fmt.Errorf("%d outputs, want %d", len(took), approvedCalls)
	}
	show("from an approval to the next output of the script", "ms", took, "≤ 20")
	return nil
}
