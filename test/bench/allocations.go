//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/workers"
	"github.com/toolscript/toolscript/runner/worker"
	"github.com/toolscript/toolscript/transport/upstream"
)

// countedCalls is the number of calls whose allocations are counted.
const countedCalls = 10_000

// allocations counts the allocations of the gateway for one tool call of a script: the actors run in this
// process, the sandbox and the stdio server in their own processes, and a client receives the events.
func (b *bench) allocations(ctx context.Context) error {
	options := worker.Options{Executable: b.Bin, CacheDir: filepath.Join(b.Home, "engine")}
	s, err := actors.Start(actors.Options{
		Servers: map[string]upstream.Config{"s": {Type: upstream.Stdio, Command: b.self, Args: []string{asServer}}},
		Scripts: actors.Scripts{
			StartChecker: func(ctx context.Context) (workers.Worker, error) { return worker.StartChecker(ctx, options) },
			StartSandbox: func(ctx context.Context) (workers.Worker, error) { return worker.StartSandbox(ctx, options) },
		},
	})
	if err != nil {
		return err
	}
	defer s.Close(context.WithoutCancel(ctx)) //nolint:errcheck // the measurement is done
	var before, after runtime.MemStats
	script := fmt.Sprintf("let i = 0; const some = async (n) => { for (const end = i + n; i < end; i++) %s }; await some(500); console.log('begin'); await some(%d); console.log('end')", echoCall, countedCalls)
	var failed error
	err = s.Exec(ctx, toolscript.ExecRequest{Code: script, Limits: toolscript.Limits{ToolCalls: 2 * countedCalls}, Rules: toolscript.Rules{Check: toolscript.CheckOff}}, func(e toolscript.Event) error {
		switch {
		case e.Type == toolscript.EventStdout && e.Data == "begin\n":
			runtime.ReadMemStats(&before)
		case e.Type == toolscript.EventStdout:
			runtime.ReadMemStats(&after)
		case e.End != nil && e.Error != nil:
			text, _ := json.Marshal(e.Error) // it was decoded from JSON
			failed = fmt.Errorf("the script failed: %s", text)
		}
		return nil
	})
	if err != nil || failed != nil {
		return errors.Join(err, failed)
	}
	fmt.Printf("%-62s %9.1f     (want ≤ 25)\n", "allocations of the gateway per call", float64(after.Mallocs-before.Mallocs)/countedCalls)
	fmt.Printf("%-62s %9.0f B\n", "  their bytes", float64(after.TotalAlloc-before.TotalAlloc)/countedCalls)
	return nil
}
