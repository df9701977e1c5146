//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript/test/harness"
)

const (
	pathCalls  = 100 // calls per script
	pathRounds = 30
)

// path measures the tool calls of scripts to a stdio server in Go: the time of a call beyond the same
// call through mcp-go, and the CPU time of gateway and sandbox. The two kinds of calls alternate.
func (b *bench) path(ctx context.Context) error {
	config, err := b.Config("echo.json", fmt.Sprintf(`{"mcpServers":{"s":{"command":%q,"args":[%q]}}}`, b.self, asServer))
	if err != nil {
		return err
	}
	g, err := b.gateway(ctx, config)
	if err != nil {
		return err
	}
	defer g.Stop() //nolint:errcheck // the measurement is done
	direct, err := client.NewStdioMCPClient(b.self, os.Environ(), asServer)
	if err != nil {
		return err
	}
	defer direct.Close() //nolint:errcheck // the measurement is done
	if _, err := direct.Initialize(ctx, mcp.InitializeRequest{Params: mcp.InitializeParams{
		ProtocolVersion: mcp.LATEST_PROTOCOL_VERSION, ClientInfo: mcp.Implementation{Name: "bench", Version: "1"},
	}}); err != nil {
		return err
	}
	sequence := fmt.Sprintf("import { tools } from \"toolscript\"; for (let i = 0; i < %d; i++) %s", pathCalls, echoCall)
	parallel := fmt.Sprintf("import { tools } from \"toolscript\"; await Promise.all(Array.from({ length: %d }, () => tools.s.echo({ text: \"x\" })))", pathCalls)
	var straight, beyond, together, gateway, sandbox []float64
	for i := range pathRounds + 5 {
		begin := time.Now()
		for range pathCalls {
			request := mcp.CallToolRequest{}
			request.Params.Name, request.Params.Arguments = "echo", map[string]any{"text": "x"}
			if _, err := direct.CallTool(ctx, request); err != nil {
				return err
			}
		}
		a := milliseconds(time.Since(begin)) / pathCalls
		before := usage(g)
		row, err := ran(ctx, g, map[string]any{"code": sequence})
		if err != nil {
			return err
		}
		after := usage(g)
		all, err := ran(ctx, g, map[string]any{"code": parallel, "limits": map[string]any{"concurrency": pathCalls}})
		if err != nil {
			return err
		}
		if i < 5 { // the warm-up
			continue
		}
		straight, beyond = append(straight, a), append(beyond, row.RunMs/pathCalls-a)
		together = append(together, all.RunMs)
		gateway = append(gateway, (after.gateway-before.gateway)/pathCalls)
		sandbox = append(sandbox, (after.sandbox-before.sandbox)/pathCalls)
	}
	show("call through mcp-go, mean of 100", "ms", straight, "")
	show("what a call of a script takes longer, mean of 100", "ms", beyond, "≤ 0.12")
	show("100 parallel calls of a script", "ms", together, "≤ 12")
	show("CPU of the gateway per call", "µs", gateway, "")
	show("CPU of the sandbox per call", "µs", sandbox, "")
	fmt.Printf("%-62s %9.2f µs   (want ≤ 200)\n", "CPU of gateway and sandbox per call", median(gateway)+median(sandbox))
	return cancellation(ctx, g)
}

// cancelling is a script that cancels calls which the server has received and does not answer. It
// returns the times until it gets the errors, in ms.
const cancelling = `import { tools } from "toolscript";
const times = [];
for (let i = 0; i < 50; i++) {
  const call = tools.spawn.s.never({});
  await tools.s.echo({ text: "x" });
  const begin = performance.now();
  call.cancel();
  await call.done.catch(() => {});
  times.push(performance.now() - begin);
}
if (Number(await tools.s.cancelled({})) < 50) throw new Error("the server did not receive all cancellations");
return times;`

// cancellation measures the time from the cancellation of a call to its end.
func cancellation(ctx context.Context, g *harness.Gateway) error {
	events, err := g.Exec(ctx, map[string]any{"code": cancelling})
	if err != nil {
		return err
	}
	end := events[len(events)-1]
	values, ok := end["value"].([]any)
	if !ok {
		return fmt.Errorf("the script that cancels failed: %v", end)
	}
	var times []float64
	for _, v := range values {
		times = append(times, v.(float64))
	}
	show("from the cancellation of a call to its end", "ms", times, "≤ 10")
	return nil
}

// spent holds CPU times in µs.
type spent struct{ gateway, sandbox float64 }

// usage returns the CPU times of a gateway and of its sandboxes so far.
func usage(g *harness.Gateway) (u spent) {
	u.gateway = 1000 * milliseconds(harness.Scheduled(g.PID()))
	for _, p := range harness.Descendants(g.PID()) {
		if p.Worker() == "sandbox" {
			u.sandbox += 1000 * milliseconds(harness.Scheduled(p.PID))
		}
	}
	return u
}
