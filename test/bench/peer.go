//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript/test/harness"
)

// peerRounds is the number of measured scripts of each kind.
const peerRounds = 40

// peer compares this gateway with another one, whose program the variable PEER names, with the
// same server and the same scripts in turns. Without PEER the section prints nothing. The other
// gateway runs scripts in its own process; here each run has a sandbox, which is a process without
// files and network.
func (b *bench) peer(ctx context.Context) error {
	program := os.Getenv("PEER")
	if program == "" {
		return nil
	}
	kind, err := peerKindOf(program)
	if err != nil {
		return err
	}
	everything := filepath.Join(b.peers, "mcp-server-everything")
	for _, server := range []peerServer{
		{"a node server", everything, "stdio", "message"},
		{"a Go server", b.self, asServer, "text"},
	} {
		fmt.Printf("\nhere and in %s, with %s\n", kind.name, server.name)
		if err := b.comparePeer(ctx, program, kind, server); err != nil {
			return fmt.Errorf("%s, %s: %w", program, server.name, err)
		}
	}
	return nil
}

// peerServer is a stdio server with a tool echo that takes a text.
type peerServer struct{ name, command, arg, parameter string }

// peerKind is a kind of gateway with a code mode whose calls block the script: it makes all calls
// of a script one after the other.
type peerKind struct {
	name string
	tool string                        // the MCP tool that runs a script
	call func(parameter string) string // a call of echo in a script
	// configure writes the configuration into the folder home and returns the arguments of the program.
	configure func(home string, server peerServer, port int) ([]string, error)
}

func peerKindOf(program string) (peerKind, error) {
	name := filepath.Base(program)
	switch {
	case strings.HasPrefix(name, "gridctl"):
		return gridctl, nil
	case strings.HasPrefix(name, "mcpproxy"):
		return mcpproxy, nil
	}
	return peerKind{}, fmt.Errorf("PEER=%s: the name of the program must begin with gridctl or mcpproxy", program)
}

// loop is a script that makes pathCalls calls one after the other.
func loop(call string) string {
	return fmt.Sprintf("for (let i = 0; i < %d; i++) %s;", pathCalls, call)
}

// gridctl has calls that block the script.
var gridctl = peerKind{name: "gridctl", tool: "execute", call: gridctlCall, configure: configureGridctl}

func gridctlCall(parameter string) string {
	return fmt.Sprintf(`mcp.callTool("s", "echo", { %s: "x" })`, parameter)
}

func configureGridctl(home string, server peerServer, port int) ([]string, error) {
	stack := filepath.Join(home, "stack.yaml")
	text := fmt.Sprintf("version: \"1\"\nname: bench\nmcp-servers:\n  - name: s\n    command: [%q, %q]\n", server.command, server.arg)
	return []string{"apply", stack, "--foreground", "--code-mode", "--port", strconv.Itoa(port)}, os.WriteFile(stack, []byte(text), 0o600)
}

// mcpproxy has calls that block the script, too.
var mcpproxy = peerKind{name: "mcpproxy", tool: "code_execution", call: mcpproxyCall, configure: configureMcpproxy}

func mcpproxyCall(parameter string) string {
	return fmt.Sprintf(`{ const r = call_tool("s", "echo", { %s: "x" }); if (!r.ok) throw new Error(JSON.stringify(r)); }`, parameter)
}

func configureMcpproxy(home string, server peerServer, port int) ([]string, error) {
	config := filepath.Join(home, "mcp_config.json")
	text := fmt.Sprintf(`{"listen": "127.0.0.1:%d", "data_dir": %q, "enable_code_execution": true, "quarantine_enabled": false,
"enable_tray": false, "code_execution_max_tool_calls": 0,
"mcpServers": [{"name": "s", "protocol": "stdio", "command": %q, "args": [%q], "enabled": true, "quarantined": false}]}`,
		port, home, server.command, server.arg)
	return []string{"serve", "--config", config, "--data-dir", home}, os.WriteFile(config, []byte(text), 0o600)
}

// comparePeer starts both gateways with the same server and prints what each of them takes.
func (b *bench) comparePeer(ctx context.Context, program string, kind peerKind, server peerServer) error {
	config, err := b.Config("peer.json", fmt.Sprintf(`{"mcpServers":{"s":{"command":%q,"args":[%q]}}}`, server.command, server.arg))
	if err != nil {
		return err
	}
	call := fmt.Sprintf(`await tools.s.echo({ %s: "x" })`, server.parameter)
	begin := time.Now()
	g, err := b.gateway(ctx, config)
	if err != nil {
		return err
	}
	defer g.Stop() //nolint:errcheck // the measurement is done
	if _, err := ran(ctx, g, ourScript(call)); err != nil {
		return err
	}
	ours := milliseconds(time.Since(begin))
	begin = time.Now()
	other, err := startPeer(ctx, program, kind, server, filepath.Join(b.Home, kind.name+"-"+server.parameter))
	if err != nil {
		return err
	}
	defer other.stop()
	theirs := milliseconds(time.Since(begin))
	show("from the start of the gateway to the end of a call", "ms", []float64{ours}, "")
	show("the same in "+kind.name, "ms", []float64{theirs}, "")
	for _, c := range comparisons(kind, server.parameter, call) {
		if err := c.measure(ctx, g, other); err != nil {
			return fmt.Errorf("%s: %w", c.what, err)
		}
	}
	show("private memory of gateway and workers", "MB", []float64{privateWithWorkers(g.PID())}, "")
	show("private memory of "+kind.name, "MB", []float64{privateWithWorkers(other.cmd.Process.Pid)}, "")
	return nil
}

// comparison is a script in both gateways. ours and theirs return the text of its next run.
type comparison struct {
	what         string
	ours, theirs func() string
	wall, cpu    string // the goals of the ratios
	once         bool   // the first run is the one to measure
}

func comparisons(kind peerKind, parameter, call string) []comparison {
	always := func(text string) func() string { return func() string { return text } }
	together := fmt.Sprintf("await Promise.all(Array.from({ length: %d }, () => tools.s.echo({ %s: \"x\" })))", pathCalls, parameter)
	number := 0
	return []comparison{
		{
			what: "the first script of 100 calls, one after the other", once: true,
			ours: always(loop(call)), theirs: always(loop(kind.call(parameter))),
		},
		{
			what: "script of 100 calls, one after the other", wall: "≤ 0.95", cpu: "≤ 0.85",
			ours: always(loop(call)), theirs: always(loop(kind.call(parameter))),
		},
		{
			what: "script of 100 calls at the same time, there one after the other", wall: "≤ 0.6", cpu: "≤ 0.6",
			ours: always(together), theirs: always(loop(kind.call(parameter))),
		},
		{
			what:   "new script of one call, type-checked here",
			ours:   func() string { number++; return fmt.Sprintf("const n = %d; %s", number, call) },
			theirs: func() string { return fmt.Sprintf("const n = %d; %s", number, kind.call(parameter)) },
		},
	}
}

func ourScript(body string) map[string]any {
	return map[string]any{"code": "import { tools } from \"toolscript\"; " + body, "limits": map[string]any{"concurrency": pathCalls}}
}

// measure runs the script in both gateways in turns and prints times, CPU times and their ratios.
func (c comparison) measure(ctx context.Context, g *harness.Gateway, other *peer) error {
	warm, rounds := 3, peerRounds
	if c.once {
		warm, rounds = 0, 1
	}
	var wall, otherWall, cpu, otherCPU []float64
	for i := range warm + rounds {
		before, begin := cpuTimes(g.PID()), time.Now()
		if _, err := ran(ctx, g, ourScript(c.ours())); err != nil {
			return err
		}
		took, spent := milliseconds(time.Since(begin)), since(before, cpuTimes(g.PID()))
		pid := other.cmd.Process.Pid
		before, begin = cpuTimes(pid), time.Now()
		if err := other.execute(ctx, c.theirs()); err != nil {
			return err
		}
		otherTook, otherSpent := milliseconds(time.Since(begin)), since(before, cpuTimes(pid))
		if i < warm {
			continue
		}
		wall, otherWall = append(wall, took), append(otherWall, otherTook)
		cpu, otherCPU = append(cpu, spent), append(otherCPU, otherSpent)
	}
	show(c.what, "ms", wall, "")
	show("the same in "+other.kind.name, "ms", otherWall, "")
	showRatio("ratio of the times", median(wall), median(otherWall), c.wall)
	show("CPU of gateway and workers", "ms", cpu, "")
	show("CPU of "+other.kind.name, "ms", otherCPU, "")
	showRatio("ratio of the CPU times", median(cpu), median(otherCPU), c.cpu)
	return nil
}

// withWorkers returns the process and its workers, without the servers.
func withWorkers(pid int) []int {
	all := []int{pid}
	for _, p := range harness.Descendants(pid) {
		if p.Worker() != "" {
			all = append(all, p.PID)
		}
	}
	return all
}

// cpuTimes returns the CPU times of a gateway and of its workers so far, by process id.
func cpuTimes(pid int) map[int]time.Duration {
	all := map[int]time.Duration{}
	for _, p := range withWorkers(pid) {
		all[p] = harness.Scheduled(p)
	}
	return all
}

// since returns what the processes of after have used since before, in ms.
func since(before, after map[int]time.Duration) (ms float64) {
	for p, used := range after {
		ms += milliseconds(used - before[p])
	}
	return ms
}

func privateWithWorkers(pid int) (mb float64) {
	for _, p := range withWorkers(pid) {
		if dirty, clean, err := harness.Private(p); err == nil { // an error means that the process has ended
			mb += dirty + clean
		}
	}
	return mb
}

// peer is another gateway that runs, and a client of it.
type peer struct {
	kind   peerKind
	cmd    *exec.Cmd
	client *client.Client
}

// startPeer starts the other gateway and waits until it has made a call. All its files are in the
// folder home.
func startPeer(ctx context.Context, program string, kind peerKind, server peerServer, home string) (*peer, error) {
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, err
	}
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	args, err := kind.configure(home, server, port)
	if err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(home, "log"))
	if err != nil {
		return nil, err
	}
	defer log.Close() //nolint:errcheck // the process has its own descriptor
	o := &peer{kind: kind, cmd: exec.CommandContext(ctx, program, args...)}
	o.cmd.Env = append(os.Environ(), "HOME="+home, "GRIDCTL_HOME="+home)
	o.cmd.Stdout, o.cmd.Stderr = log, log
	if err := o.cmd.Start(); err != nil {
		return nil, err
	}
	if err := o.connect(ctx, fmt.Sprintf("http://127.0.0.1:%d/mcp", port), server.parameter); err != nil {
		o.stop()
		said, _ := os.ReadFile(log.Name()) // the error of the connection is returned
		return nil, fmt.Errorf("%w; its log: %s", err, said)
	}
	return o, nil
}

// connect waits until a new client can make the call of the script. gridctl does not show a server's
// tools to clients that connected before the server.
func (o *peer) connect(ctx context.Context, url, parameter string) error {
	var last error
	err := harness.Until(ctx, func() (bool, error) {
		last = o.tryConnect(ctx, url, parameter)
		return last == nil, nil
	})
	if err != nil {
		return errors.Join(last, err)
	}
	return nil
}

func (o *peer) tryConnect(ctx context.Context, url, parameter string) error {
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
		err = o.execute(ctx, o.kind.call(parameter))
	}
	if err != nil {
		o.client = nil
		return errors.Join(err, c.Close())
	}
	return nil
}

// execute runs a script in the other gateway.
func (o *peer) execute(ctx context.Context, code string) error {
	request := mcp.CallToolRequest{}
	request.Params.Name, request.Params.Arguments = o.kind.tool, map[string]any{"code": code}
	result, err := o.client.CallTool(ctx, request)
	if err != nil {
		return err
	}
	text, err := json.Marshal(result.Content)
	if err != nil {
		return err
	}
	if result.IsError || strings.Contains(string(text), `\"ok\":false`) {
		return fmt.Errorf("the script failed: %s", text)
	}
	return nil
}

func (o *peer) stop() {
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
