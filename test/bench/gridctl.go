//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript/test/harness"
)

// gridctl compares a script of 100 calls to a stdio server with the same script in the code mode of
// gridctl, another gateway. The variable GRIDCTL contains the path of its program; without it the
// section prints nothing. The two alternate.
func (b *bench) gridctl(ctx context.Context) error {
	program := os.Getenv("GRIDCTL")
	if program == "" {
		return nil
	}
	config, err := b.Config("gridctl.json", fmt.Sprintf(`{"mcpServers":{"s":{"command":%q,"args":[%q]}}}`, b.self, asServer))
	if err != nil {
		return err
	}
	g, err := b.gateway(ctx, config)
	if err != nil {
		return err
	}
	defer g.Stop() //nolint:errcheck // the measurement is done
	other, err := startGridctl(ctx, program, filepath.Join(b.Home, "gridctl"), b.self)
	if err != nil {
		return fmt.Errorf("%s: %w", program, err)
	}
	defer other.stop()
	ours := map[string]any{"code": fmt.Sprintf("import { tools } from \"toolscript\"; for (let i = 0; i < %d; i++) %s", pathCalls, echoCall)}
	theirs := fmt.Sprintf(`for (let i = 0; i < %d; i++) mcp.callTool("s", "echo", { text: "x" });`, pathCalls)
	var wall, otherWall, cpu, otherCPU []float64
	for i := range pathRounds + 5 {
		before, begin := usage(g), time.Now()
		if _, err := ran(ctx, g, ours); err != nil {
			return err
		}
		took, after := milliseconds(time.Since(begin)), usage(g)
		otherBefore, otherBegin := harness.Scheduled(other.cmd.Process.Pid), time.Now()
		if err := other.execute(ctx, theirs); err != nil {
			return err
		}
		otherTook, otherAfter := milliseconds(time.Since(otherBegin)), harness.Scheduled(other.cmd.Process.Pid)
		if i < 5 { // the warm-up
			continue
		}
		wall, otherWall = append(wall, took), append(otherWall, otherTook)
		cpu = append(cpu, (after.gateway+after.sandbox-before.gateway-before.sandbox)/1000)
		otherCPU = append(otherCPU, milliseconds(otherAfter-otherBefore))
	}
	show("script of 100 calls", "ms", wall, "")
	show("the same script in the code mode of gridctl", "ms", otherWall, "")
	showRatio("wall time, here / gridctl", median(wall), median(otherWall), "≤ 0.6")
	show("CPU of gateway and sandbox for 100 calls", "ms", cpu, "")
	show("CPU of gridctl for the same", "ms", otherCPU, "")
	showRatio("CPU time, here / gridctl", median(cpu), median(otherCPU), "≤ 0.6")
	return nil
}

// gridctl is a running gridctl and a client of it.
type gridctl struct {
	cmd    *exec.Cmd
	client *client.Client
}

// startGridctl starts gridctl with this program as the server s. All files of gridctl are in the folder home.
func startGridctl(ctx context.Context, program, home, server string) (*gridctl, error) {
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, err
	}
	stack := filepath.Join(home, "stack.yaml")
	text := fmt.Sprintf("version: \"1\"\nname: bench\nmcp-servers:\n  - name: s\n    command: [%q, %q]\n", server, asServer)
	if err := os.WriteFile(stack, []byte(text), 0o600); err != nil {
		return nil, err
	}
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(home, "log"))
	if err != nil {
		return nil, err
	}
	defer log.Close() //nolint:errcheck // the process has its own descriptor
	o := &gridctl{cmd: exec.CommandContext(ctx, program, "apply", stack, "--foreground", "--code-mode", "--port", strconv.Itoa(port))}
	o.cmd.Env = append(os.Environ(), "HOME="+home, "GRIDCTL_HOME="+home)
	o.cmd.Stdout, o.cmd.Stderr = log, log
	if err := o.cmd.Start(); err != nil {
		return nil, err
	}
	if err := o.connect(ctx, fmt.Sprintf("http://127.0.0.1:%d/mcp", port)); err != nil {
		o.stop()
		said, _ := os.ReadFile(log.Name()) // the error of the connection is returned
		return nil, fmt.Errorf("%w; its log: %s", err, said)
	}
	return o, nil
}

// connect waits until a new client can make the call of the script. gridctl does not show a server's
// tools to clients that connected before the server.
func (o *gridctl) connect(ctx context.Context, url string) error {
	var last error
	err := harness.Until(ctx, func() (bool, error) {
		last = o.tryConnect(ctx, url)
		return last == nil, nil
	})
	if err != nil {
		return errors.Join(last, err)
	}
	return nil
}

func (o *gridctl) tryConnect(ctx context.Context, url string) error {
	c, err := client.NewStreamableHttpClient(url)
	if err != nil {
		return err
	}
	if err := c.Start(ctx); err != nil {
		return err
	}
	o.client = c
	_, err = c.Initialize(ctx, mcp.InitializeRequest{Params: mcp.InitializeParams{
		ProtocolVersion: mcp.LATEST_PROTOCOL_VERSION, ClientInfo: mcp.Implementation{Name: "bench", Version: "1"},
	}})
	if err == nil {
		err = o.execute(ctx, `mcp.callTool("s", "echo", { text: "x" })`)
	}
	if err != nil {
		o.client = nil
		return errors.Join(err, c.Close())
	}
	return nil
}

// execute runs a script in gridctl.
func (o *gridctl) execute(ctx context.Context, code string) error {
	request := mcp.CallToolRequest{}
	request.Params.Name, request.Params.Arguments = "execute", map[string]any{"code": code}
	result, err := o.client.CallTool(ctx, request)
	if err != nil {
		return err
	}
	if result.IsError {
		return fmt.Errorf("the script failed: %v", result.Content)
	}
	return nil
}

func (o *gridctl) stop() {
	if o.client != nil {
		_ = o.client.Close()
	}
	_ = o.cmd.Process.Signal(syscall.SIGTERM)
	_ = o.cmd.Wait()
}

func freePort(ctx context.Context) (int, error) {
	var listen net.ListenConfig
	l, err := listen.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}
