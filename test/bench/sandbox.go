//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/quickjs"
	"github.com/toolscript/toolscript/runner/script"
	"github.com/toolscript/toolscript/test/harness"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

// reset measures the reset of an engine after a script that wrote to its heap.
func (b *bench) reset(ctx context.Context) error {
	engine, err := quickjs.NewEngine(ctx, quickjs.Options{})
	if err != nil {
		return err
	}
	defer engine.Close() //nolint:errcheck // the measurement is done
	vm, err := engine.NewVM(ctx)
	if err != nil {
		return err
	}
	defer vm.Close() //nolint:errcheck // the measurement is done
	job, err := compiled(`const kept = Array.from({ length: 1000 }, (_, i) => ({ i })); return kept.length`)
	if err != nil {
		return err
	}
	var fresh, warm []float64
	for i := range 330 {
		if out := vm.Run(ctx, job, silent{}); out.Err != nil {
			return errors.New(out.Err.Message)
		}
		begin := time.Now()
		if err := vm.Reset(ctx); err != nil {
			return err
		}
		reset := time.Since(begin)
		begin = time.Now()
		vm.Warm()
		if i >= 30 { // after the warm-up
			fresh, warm = append(fresh, milliseconds(reset)), append(warm, milliseconds(time.Since(begin)))
		}
	}
	show("reset after a script", "ms", fresh, "≤ 0.05")
	show("  pages copied ahead for the next one, while none waits", "ms", warm, "")
	return nil
}

// silent is the host of a script that makes no requests.
type silent struct{}

func (silent) Call(runner.Call)            {}
func (silent) Cancel(string)               {}
func (silent) Write(runner.Stream, string) {}
func (silent) ReadStdin()                  {}
func (silent) Idle(int)                    {}
func (silent) Poll()                       {}

func (silent) Next(context.Context, time.Duration) (quickjs.Answer, bool) {
	return quickjs.Answer{}, false
}

// compiled compiles a valid script as a job without tools.
func compiled(code string) (runner.Job, error) {
	c, found := script.Compile(runner.Source{Code: code})
	if len(found) > 0 {
		return runner.Job{}, fmt.Errorf("a script does not compile: %+v", found)
	}
	return runner.Job{
		RunID: "bench", File: script.DefaultFile, Compiled: c, TZ: "UTC", Names: &naming.Names{Key: "none"},
		Limits: toolscript.Limits{TimeoutMs: 60_000, CPUMs: 60_000, MemoryMB: 96, StackKB: 512},
	}, nil
}

// echoCall is a call of this program as the server s; see asServer.
const echoCall = `await tools.s.echo({ text: "x" })`

// runs measures runs by the times in the gateway's run records.
func (b *bench) runs(ctx context.Context) error {
	config, err := b.Config("echo.json", fmt.Sprintf(`{"mcpServers":{"s":{"command":%q,"args":[%q]}}}`, b.self, asServer))
	if err != nil {
		return err
	}
	g, err := b.gateway(ctx, config)
	if err != nil {
		return err
	}
	defer g.Stop() //nolint:errcheck // the measurement is done
	for _, of := range []struct{ what, code, want string }{
		{"run inside the gateway: empty", "", "≤ 1"},
		{"run inside the gateway: empty, a new text each time", "// %d", ""},
		{"run inside the gateway: one call", `import { tools } from "toolscript"; ` + echoCall, "≤ 1.5"},
		{"run inside the gateway: 32 calls at once", `import { tools } from "toolscript"; await Promise.all(Array.from({ length: 32 }, () => tools.s.echo({ text: "x" })))`, ""},
	} {
		if err := b.inside(ctx, g, of.what, of.code, of.want); err != nil {
			return err
		}
	}
	return b.roundTrip(ctx, g)
}

func (b *bench) inside(ctx context.Context, g *harness.Gateway, what, code, want string) error {
	var times []float64
	for i := range 230 {
		text := code
		if code == "// %d" {
			text = fmt.Sprintf(code, i)
		}
		metrics, err := ran(ctx, g, map[string]any{"code": text, "limits": map[string]any{"concurrency": 32}})
		if err != nil {
			return err
		}
		if i >= 30 { // after the warm-up
			times = append(times, metrics.DurationMs)
		}
	}
	show(what, "ms", times, want)
	return nil
}

// ran runs a script that must succeed and returns its metrics.
func ran(ctx context.Context, g *harness.Gateway, request map[string]any) (m toolscript.Metrics, err error) {
	events, err := g.Exec(ctx, request)
	if err != nil {
		return m, err
	}
	end := events[len(events)-1]
	if end["type"] != "end" || end["ok"] != true {
		return m, fmt.Errorf("the script failed: %v", end)
	}
	text, err := json.Marshal(end["metrics"])
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(text, &m)
}

// roundTrip measures a call from a script to a server and back, alternating with direct calls to a
// server of the same kind.
func (b *bench) roundTrip(ctx context.Context, g *harness.Gateway) error {
	const calls = 200
	direct, err := mcpclient.Dialer{}.Dial(ctx, "s", upstream.Config{
		Type: "stdio", Command: b.self, Args: []string{asServer},
	}, upstream.Events{})
	if err != nil {
		return err
	}
	defer direct.Close() //nolint:errcheck // the measurement is done
	neighbourProcess, err := newNeighbour(b.self)
	if err != nil {
		return err
	}
	defer neighbourProcess.close()
	code := fmt.Sprintf("import { tools } from \"toolscript\"; for (let i = 0; i < %d; i++) %s", calls, echoCall)
	var straight, through, beyond, bare []float64
	for i := range 23 {
		least, err := neighbourProcess.roundTrip(calls)
		if err != nil {
			return err
		}
		begin := time.Now()
		for range calls {
			if _, err := direct.CallTool(ctx, "echo", json.RawMessage(`{"text":"x"}`), nil); err != nil {
				return err
			}
		}
		a := 1000 * milliseconds(time.Since(begin)) / calls
		metrics, err := ran(ctx, g, map[string]any{"code": code})
		if err != nil {
			return err
		}
		if c := 1000 * metrics.RunMs / calls; i >= 3 { // after the warm-up
			straight, through, beyond, bare = append(straight, a), append(through, c), append(beyond, c-a), append(bare, least)
		}
	}
	show(fmt.Sprintf("call straight to the server, mean of %d", calls), "µs", straight, "")
	show(fmt.Sprintf("call script → gateway → server and back, mean of %d", calls), "µs", through, "")
	show("what is not the server's time, round by round", "µs", beyond, "≤ 100")
	show("  for scale: a message to another process and back, bare", "µs", bare, "")
	return nil
}
