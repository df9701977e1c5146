//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/toolscript/toolscript/test/harness"
)

const (
	restingServers = 10
	restAfter      = 200 * time.Millisecond
)

// rest measures the time that starting a resting server adds to a call, beyond the server's own
// start, and the memory of a gateway with resting servers.
func (b *bench) rest(ctx context.Context) error {
	for _, s := range []struct{ what, program, argument, echo string }{
		{"a server in Go", b.self, asServer, `{"text":"x"}`},
		{"mcp-server-everything", filepath.Join(b.peers, "mcp-server-everything"), "stdio", `{"message":"x"}`},
	} {
		if err := b.restStart(ctx, s.what, s.program, s.argument, s.echo); err != nil {
			return err
		}
	}
	without, err := b.restMemory(ctx, 0)
	if err != nil {
		return err
	}
	with, err := b.restMemory(ctx, restingServers)
	if err != nil {
		return err
	}
	show("private memory of an idle gateway without servers", "MB", without, "")
	show(fmt.Sprintf("private memory of an idle gateway, %d servers at rest", restingServers), "MB", with, "")
	show("  each beyond that", "MB", []float64{(median(with) - median(without)) / restingServers}, "≤ 1")
	return nil
}

func (b *bench) restStart(ctx context.Context, what, program, argument, echo string) error {
	config, err := b.Config("rest.json", fmt.Sprintf(`{"mcpServers":{"s":{"command":%q,"args":[%q],"idle":%q}}}`, program, argument, restAfter))
	if err != nil {
		return err
	}
	g, err := b.gateway(ctx, config)
	if err != nil {
		return err
	}
	defer g.Stop() //nolint:errcheck // the measurement is done
	var own, call, beyond []float64
	for range 15 {
		if err := untilAtRest(ctx, g); err != nil {
			return err
		}
		begin := time.Now()
		var answer any
		if status, err := g.Post(ctx, "/tools/s__echo", json.RawMessage(echo), &answer); err != nil || status != 200 {
			return fmt.Errorf("echo: %d %v: %w", status, answer, err)
		}
		call = append(call, milliseconds(time.Since(begin)))
		if err := untilAtRest(ctx, g); err != nil {
			return err
		}
		ms, err := ownStart(ctx, program, argument, echo)
		if err != nil {
			return err
		}
		own, beyond = append(own, ms), append(beyond, call[len(call)-1]-ms)
	}
	show("start of "+what+", until it has answered a call", "ms", own, "")
	show("  the call that starts it after a rest, beyond its own start", "ms", beyond, "≤ 50")
	return nil
}

// untilAtRest waits until all servers rest and their processes have ended.
func untilAtRest(ctx context.Context, g *harness.Gateway) error {
	return harness.Until(ctx, func() (bool, error) {
		var servers []struct{ State string }
		_, err := g.Get(ctx, "/servers", &servers)
		for _, s := range servers {
			if s.State != "resting" {
				return false, err
			}
		}
		for _, p := range harness.Descendants(g.PID()) {
			if p.Worker() == "" {
				return false, err
			}
		}
		return true, err
	})
}

// ownStart starts a server without a gateway, lists its tools and calls one. It returns the time.
func ownStart(ctx context.Context, program, argument, echo string) (ms float64, err error) {
	c := exec.CommandContext(ctx, program, argument)
	in, err := c.StdinPipe()
	if err != nil {
		return 0, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	if err := c.Start(); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, in.Close(), c.Process.Kill(), ignore(c.Wait())) }()
	lines := bufio.NewReader(out)
	ask := func(id int, method, params string) error {
		if _, err := fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method, params); err != nil {
			return err
		}
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return err
			}
			var answer struct {
				ID    int             `json:"id"`
				Error json.RawMessage `json:"error"`
			}
			if json.Unmarshal(line, &answer) == nil && answer.ID == id && bytes.Contains(line, []byte(`"result"`)) {
				return nil
			}
			if answer.Error != nil {
				return fmt.Errorf("%s: %s", method, answer.Error)
			}
		}
	}
	if err := ask(1, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`); err != nil {
		return 0, err
	}
	if _, err := fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`); err != nil {
		return 0, err
	}
	if err := ask(2, "tools/list", `{}`); err != nil {
		return 0, err
	}
	if err := ask(3, "tools/call", `{"name":"echo","arguments":`+echo+`}`); err != nil {
		return 0, err
	}
	return milliseconds(time.Since(begin)), nil
}

// ignore drops the error of a killed process.
func ignore(error) error { return nil }

// restMemory starts gateways with n servers, which start and then rest, and returns the private
// memory of each gateway while they rest.
func (b *bench) restMemory(ctx context.Context, n int) (mb []float64, err error) {
	servers := map[string]any{}
	for i := range n {
		servers[fmt.Sprintf("s%d", i)] = map[string]any{
			"command": filepath.Join(b.peers, "mcp-server-everything"), "args": []string{"stdio"}, "env": map[string]string{"N": fmt.Sprint(i)},
		}
	}
	text, err := json.Marshal(map[string]any{"mcpServers": servers, "defaults": map[string]any{"idle": restAfter.String()}})
	if err != nil {
		return nil, err
	}
	config, err := b.Config(fmt.Sprintf("rest%d.json", n), string(text))
	if err != nil {
		return nil, err
	}
	for range 3 {
		used, err := b.memoryAtRest(ctx, config, n)
		if err != nil {
			return nil, err
		}
		mb = append(mb, used)
	}
	return mb, nil
}

func (b *bench) memoryAtRest(ctx context.Context, config string, n int) (mb float64, err error) {
	p := b.Program
	p.Bin = filepath.Join(b.Home, "toolscript")
	if err := errors.Join(copyFile(p.Bin, b.Bin), harness.Uncache(p.Bin)); err != nil {
		return 0, err
	}
	g, err := p.StartGateway(ctx, "--config", config, "--worker-idle", unused.String())
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, g.Stop()) }()
	if err := g.Ready(ctx); err != nil {
		return 0, err
	}
	for i := range n {
		var answer any
		if status, err := g.Post(ctx, fmt.Sprintf("/tools/s%d__echo", i), map[string]any{"message": "x"}, &answer); err != nil || status != 200 {
			return 0, fmt.Errorf("echo: %d %v: %w", status, answer, err)
		}
	}
	if err := harness.Until(ctx, func() (bool, error) { return len(harness.Descendants(g.PID())) == 0, nil }); err != nil {
		return 0, err
	}
	idle(ctx, shrinks)
	return private(g.PID()), nil
}
