//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"github.com/toolscript/toolscript/test/harness"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

// start measures the time from the start of the gateway's process to its first answer to /health.
func (b *bench) start(ctx context.Context) error {
	config, err := b.threeServers()
	if err != nil {
		return err
	}
	var times []float64
	for range 9 {
		begin := time.Now()
		g, err := b.StartGateway(ctx, "--config", config)
		if err != nil {
			return err
		}
		if status, err := g.Get(ctx, "/health", nil); err != nil || status != http.StatusOK {
			return fmt.Errorf("/health: %d, %w", status, err)
		}
		times = append(times, milliseconds(time.Since(begin)))
		if err := g.Stop(); err != nil {
			return err
		}
	}
	show("gateway start to /health, 3 servers configured", "ms", times, "< 150")
	return nil
}

// memory measures the memory after a second start, which finds the compiled engine in the cache, when
// the model was released.
func (b *bench) memory(ctx context.Context) error {
	config, err := b.threeServers()
	if err != nil {
		return err
	}
	g, err := b.gateway(ctx, config, "--search-idle", modelIdle.String())
	if err != nil {
		return err
	}
	defer g.Stop() //nolint:errcheck // the measurement is done
	if _, err := ran(ctx, g, map[string]any{"code": "return 1"}); err != nil {
		return err
	}
	if err := settled(ctx, g); err != nil {
		return err
	}
	processes := map[string]int{"gateway": g.PID()}
	for _, p := range harness.Descendants(g.PID()) {
		if role := p.Worker(); role != "" {
			processes[role] = p.PID
		}
	}
	for _, name := range []string{"gateway", "sandbox", "checker"} {
		mb, err := harness.RSS(processes[name])
		if err != nil {
			return fmt.Errorf("memory of the %s: %w", name, err)
		}
		want := "< 30"
		if name == "checker" {
			want = ""
		}
		show("RSS idle after one run, "+name+" process", "MB", []float64{mb}, want)
	}
	return nil
}

// calls compares a call through the gateway with a direct call to a server of the same kind. The
// calls alternate.
func (b *bench) calls(ctx context.Context) error {
	for _, server := range []struct{ name, command, arg, tool, args string }{
		{"everything (node)", filepath.Join(b.peers, "mcp-server-everything"), "stdio", "echo", `{"message":"x"}`},
		{"a server in Go", b.self, asServer, "echo", `{"text":"x"}`},
	} {
		if err := b.compare(ctx, server.name, server.command, server.arg, server.tool, server.args); err != nil {
			return fmt.Errorf("%s: %w", server.name, err)
		}
	}
	return nil
}

func (b *bench) compare(ctx context.Context, name, command, arg, tool, args string) error {
	config, err := b.Config("one.json", fmt.Sprintf(`{"mcpServers":{"s":{"command":%q,"args":[%q]}}}`, command, arg))
	if err != nil {
		return err
	}
	g, err := b.gateway(ctx, config)
	if err != nil {
		return err
	}
	defer g.Stop() //nolint:errcheck // the measurement is done
	direct, err := mcpclient.Dialer{}.Dial(ctx, "s", upstream.Config{Type: "stdio", Command: command, Args: []string{arg}, Dir: b.Home}, upstream.Events{})
	if err != nil {
		return err
	}
	defer direct.Close() //nolint:errcheck // the measurement is done
	var straight, through, beyond []float64
	for i := range 330 {
		begin := time.Now()
		if _, err := direct.CallTool(ctx, tool, json.RawMessage(args), nil); err != nil {
			return err
		}
		a := time.Since(begin)
		begin = time.Now()
		if status, err := g.Post(ctx, "/tools/s__"+tool, json.RawMessage(args), nil); err != nil || status != http.StatusOK {
			return fmt.Errorf("POST /tools: %d, %w", status, err)
		}
		if c := time.Since(begin); i >= 30 { // after the warm-up
			straight, through = append(straight, milliseconds(a)), append(through, milliseconds(c))
			beyond = append(beyond, milliseconds(c-a))
		}
	}
	show("call straight to "+name, "ms", straight, "")
	show("call through the gateway to "+name, "ms", through, "")
	show("what the gateway adds, pair by pair", "ms", beyond, "≤ 1")
	return nil
}

// scripts measures complete runs inside a gateway.
func (b *bench) scripts(ctx context.Context) error {
	config, err := b.Config("one.json", fmt.Sprintf(`{"mcpServers":{"s":{"command":%q,"args":["stdio"]}}}`, filepath.Join(b.peers, "mcp-server-everything")))
	if err != nil {
		return err
	}
	g, err := b.gateway(ctx, config)
	if err != nil {
		return err
	}
	defer g.Stop()           //nolint:errcheck // the measurement is done
	own := map[int]float64{} // time of n direct calls, by n
	for _, n := range []int{0, 10, 100} {
		code := fmt.Sprintf("import { tools } from \"toolscript\";\nfor (let i = 0; i < %d; i++) await tools.s.echo({ message: \"x\" });", n)
		var times []float64
		for i := range 25 {
			begin := time.Now()
			if _, err := ran(ctx, g, map[string]any{"code": code}); err != nil {
				return err
			}
			if i >= 5 {
				times = append(times, milliseconds(time.Since(begin)))
			}
		}
		if own[n], err = b.sequential(ctx, n); err != nil {
			return err
		}
		show(fmt.Sprintf("POST /exec, script with %d calls in a row", n), "ms", times, "")
		if n == 100 {
			fmt.Printf("%-62s %9.2f ms   (want < 60)\n", "  beyond the server's own time for 100 calls", median(times)-own[n])
		}
	}
	return nil
}

// sequential returns the median time of n sequential direct calls, in ms.
func (b *bench) sequential(ctx context.Context, n int) (float64, error) {
	direct, err := mcpclient.Dialer{}.Dial(ctx, "s", upstream.Config{
		Type: "stdio", Command: filepath.Join(b.peers, "mcp-server-everything"), Args: []string{"stdio"},
	}, upstream.Events{})
	if err != nil {
		return 0, err
	}
	defer direct.Close() //nolint:errcheck // the measurement is done
	var times []float64
	for range 10 {
		begin := time.Now()
		for range n {
			if _, err := direct.CallTool(ctx, "echo", json.RawMessage(`{"message":"x"}`), nil); err != nil {
				return 0, err
			}
		}
		times = append(times, milliseconds(time.Since(begin)))
	}
	return median(times), nil
}

// load makes 1,000 concurrent calls.
func (b *bench) load(ctx context.Context) error {
	config, err := b.threeServers()
	if err != nil {
		return err
	}
	g, err := b.gateway(ctx, config)
	if err != nil {
		return err
	}
	defer g.Stop() //nolint:errcheck // the measurement is done
	var (
		mu       sync.Mutex
		answered int
		wrong    []string
		group    sync.WaitGroup
	)
	begin := time.Now()
	for i := range 1000 {
		group.Go(func() {
			var result struct {
				Content []struct{ Text string }
			}
			message := fmt.Sprintf("call %d", i)
			status, err := g.Post(ctx, "/tools/everything__echo", map[string]string{"message": message}, &result)
			mu.Lock()
			defer mu.Unlock()
			if err != nil || status != http.StatusOK || len(result.Content) != 1 || result.Content[0].Text != "Echo: "+message {
				wrong = append(wrong, fmt.Sprintf("%d %v %v", status, err, result))
				return
			}
			answered++
		})
	}
	group.Wait()
	fmt.Printf("%-62s %9d      in %v, %d lost or wrong (want 0)\n", "1,000 concurrent calls: answered", answered, time.Since(begin).Round(time.Millisecond), len(wrong))
	if len(wrong) > 0 {
		return fmt.Errorf("a call was lost: %s", wrong[0])
	}
	return nil
}

// idle gives garbage collection and the release of memory time to finish.
func idle(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
