//go:build linux

package cli_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/cmd/discovery"
)

// client is a process that takes the place of an agent.
type client struct {
	*world
	process *exec.Cmd
	id      discovery.Process
	envFile string
}

// newClient starts a process that waits, and ends it with the test. The gateways are
// children of the test process, so the test also waits for them.
func (w *world) newClient(t *testing.T) *client {
	t.Helper()
	c := &client{process: exec.CommandContext(context.WithoutCancel(t.Context()), "cat"), envFile: filepath.Join(t.TempDir(), "env")}
	if _, err := c.process.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := c.process.Start(); err != nil {
		t.Fatal(err)
	}
	var err error
	if c.id, err = discovery.Identify(c.process.Process.Pid); err != nil {
		t.Fatal(err)
	}
	c.world = &world{dir: w.dir, env: append(slices.Clone(w.env),
		"CLAUDE_PID="+strconv.Itoa(c.process.Process.Pid), "CLAUDE_ENV_FILE="+c.envFile, "CLAUDE_PROJECT_DIR="+w.dir)}
	t.Cleanup(func() {
		own := c.gateways(t)
		_ = c.process.Process.Kill()
		_ = c.process.Wait() // killed, so an error is expected
		for _, e := range own {
			ended(t, e)
		}
	})
	return c
}

// send runs a hook with a source or reason and returns the hook's message for the person.
func (c *client) send(t *testing.T, event, session, why string) string {
	t.Helper()
	input, err := json.Marshal(map[string]string{"session_id": session, "cwd": c.dir, "source": why, "reason": why})
	if err != nil {
		t.Fatal(err)
	}
	r := c.hook(t, event, string(input))
	if r.code != 0 {
		t.Fatalf("%s: code = %d; stderr:\n%s", event, r.code, r.stderr)
	}
	var answer struct{ SystemMessage string }
	if r.stdout != "" {
		if err := json.Unmarshal([]byte(r.stdout), &answer); err != nil {
			t.Fatalf("%s: stdout = %q: %v", event, r.stdout, err)
		}
	}
	return answer.SystemMessage
}

// gateways returns the running gateways of the client.
func (c *client) gateways(t *testing.T) []discovery.Entry {
	t.Helper()
	own, err := c.runtime().OfClient(c.id)
	if err != nil {
		t.Fatal(err)
	}
	return own
}

func (w *world) runtime() discovery.Places {
	return discovery.In(filepath.Join(filepath.Dir(w.dir), "run"))
}

// gateway returns the only gateway of the client.
func (c *client) gateway(t *testing.T) discovery.Entry {
	t.Helper()
	own := c.gateways(t)
	if len(own) != 1 {
		t.Fatalf("the client has %d gateways, want one", len(own))
	}
	return own[0]
}

// exported returns the URL that was last exported to the client's shell.
func (c *client) exported(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(c.envFile)
	if err != nil {
		t.Fatal(err)
	}
	all := regexp.MustCompile(`(?m)^export TOOLSCRIPT_GATEWAY_URL=(http://127\.0\.0\.1:\d+/[\w-]+)$`).FindAllStringSubmatch(string(text), -1)
	if len(all) == 0 {
		t.Fatalf("CLAUDE_ENV_FILE = %q", text)
	}
	return all[len(all)-1][1]
}

// ended waits until a gateway has ended.
func ended(t *testing.T, e discovery.Entry) {
	t.Helper()
	p, err := os.FindProcess(e.PID)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = p.Wait() // an error means that the process has ended already
	if gone, known := e.Process().Gone(); !gone || !known {
		t.Errorf("the gateway %d has not ended", e.PID)
	}
}

func TestSessionKeepsItsGateway(t *testing.T) {
	c := newWorld(t, map[string]string{"home/.toolscript.json": demoConfig}).newClient(t)
	if said := c.send(t, "session-start", "one", "startup"); said != "" {
		t.Errorf("the person reads %q, want nothing", said)
	}
	first := c.gateway(t)
	if first.Session != "one" || c.exported(t) != first.URL {
		t.Errorf("gateway %+v, exported %s", first, c.exported(t))
	}
	for _, next := range []struct{ source, session string }{
		{"compact", "one"}, {"clear", "two"}, {"resume", "three"}, {"fork", "four"}, {"startup", "four"},
	} {
		if next.source == "clear" || next.source == "resume" {
			c.send(t, "session-end", "one", next.source)
		}
		if err := os.Remove(c.envFile); err != nil {
			t.Fatal(err)
		}
		if said := c.send(t, "session-start", next.session, next.source); said != "" {
			t.Errorf("%s: the person reads %q, want nothing", next.source, said)
		}
		if got := c.gateway(t); got.PID != first.PID || got.Session != next.session || c.exported(t) != first.URL {
			t.Errorf("%s: gateway %d of session %s, want %d of %s", next.source, got.PID, got.Session, first.PID, next.session)
		}
	}
	c.send(t, "session-end", "four", "prompt_input_exit")
	ended(t, first)
	if files, err := os.ReadDir(c.runtime().Folders()[0]); err != nil || len(files) > 0 {
		t.Errorf("left in the runtime folder: %v, %v", files, err)
	}
	c.send(t, "session-end", "four", "other") // a session without a gateway
}

// TestSessionsAreSeparate: a command finds only the gateway of its own session, and the end of a
// session stops only the gateway of that session.
func TestSessionsAreSeparate(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	w := newWorld(t, map[string]string{"home/.toolscript.json": demoConfig})
	one, two := w.newClient(t), w.newClient(t)
	one.send(t, "session-start", "one", "startup")
	two.send(t, "session-start", "two", "startup")
	for _, tt := range []struct {
		variable, session string
		want              *client
	}{
		{"CLAUDE_CODE_SESSION_ID", "one", one}, {"CLAUDE_CODE_SESSION_ID", "two", two}, {"SESSION_ID", "one", one},
		{"CLAUDE_CODE_SESSION_ID", "three", nil},
	} {
		inside := &world{dir: w.dir, env: append(slices.Clone(w.env), tt.variable+"="+tt.session)}
		r := inside.run(t, "gateway", "status")
		switch {
		case tt.want == nil && (r.code != 1 || !strings.Contains(r.stdout+r.stderr, "no gateway runs")):
			t.Errorf("session %s: %+v, want that there is no gateway", tt.session, r)
		case tt.want != nil && !strings.Contains(r.stdout, tt.want.gateway(t).Address()):
			t.Errorf("session %s: %+v, want the gateway at %s", tt.session, r, tt.want.gateway(t).Address())
		}
	}
	first := one.gateway(t)
	one.send(t, "session-end", "one", "other")
	ended(t, first)
	two.gateway(t)
}

func TestGatewayEndsWithAKilledClient(t *testing.T) {
	c := newWorld(t, nil).newClient(t)
	c.send(t, "session-start", "one", "startup")
	own := c.gateway(t)
	if err := c.process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	ended(t, own)
}

// TestSessionReplacesItsGateway: a killed gateway, and one with another
// configuration, are replaced.
func TestSessionReplacesItsGateway(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	c := newWorld(t, nil).newClient(t)
	c.send(t, "session-start", "one", "startup")
	killed := c.gateway(t)
	if p, err := os.FindProcess(killed.PID); err != nil || p.Kill() != nil {
		t.Fatal("not killed")
	}
	ended(t, killed)
	c.send(t, "session-start", "two", "clear")
	second := c.gateway(t)
	if second.PID == killed.PID || c.exported(t) != second.URL {
		t.Errorf("gateway %+v after the first was killed", second)
	}
	if err := os.WriteFile(filepath.Join(c.dir, ".toolscript.json"), []byte(demoConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	said := c.send(t, "session-start", "three", "clear")
	ended(t, second)
	if third := c.gateway(t); third.PID == second.PID || !strings.Contains(said, "toolscript trust") {
		t.Errorf("gateway %+v of another configuration; the person reads %q", third, said)
	}
}

func TestSessionWithABrokenConfiguration(t *testing.T) {
	c := newWorld(t, map[string]string{"home/.toolscript.json": `{"mcpServers": {"demo": {"command": "x"}}`}).newClient(t)
	said := c.send(t, "session-start", "one", "startup")
	for _, want := range []string{".toolscript.json", "is not closed", "without a gateway"} {
		if !strings.Contains(said, want) {
			t.Errorf("the person reads %q, want %q in it", said, want)
		}
	}
	if said := c.send(t, "session-start", "two", "clear"); said != "" {
		t.Errorf("after /clear the person reads %q, want nothing again", said)
	}
	if _, err := os.Stat(c.envFile); err == nil || len(c.gateways(t)) > 0 {
		t.Error("there is a gateway")
	}
}

// TestSessionWithAMisconfiguredServer: the gateway starts with the other servers.
func TestSessionWithAMisconfiguredServer(t *testing.T) {
	c := newWorld(t, map[string]string{"home/.toolscript.json": `{"mcpServers": {"demo": {"comand": "x"}}}`}).newClient(t)
	said := c.send(t, "session-start", "one", "startup")
	for _, want := range []string{".toolscript.json:1:25: mcpServers.demo: ", "comand", "the server demo is not started"} {
		if !strings.Contains(said, want) {
			t.Errorf("the person reads %q, want %q in it", said, want)
		}
	}
	c.gateway(t)
}

func TestSessionWithoutAGatewayHidesTheOuterOne(t *testing.T) {
	c := newWorld(t, map[string]string{"home/.toolscript.json": "{"}).newClient(t)
	c.env = append(c.env, "TOOLSCRIPT_GATEWAY_URL=http://127.0.0.1:1/outer")
	c.send(t, "session-start", "one", "startup")
	text, err := os.ReadFile(c.envFile)
	if want := "export TOOLSCRIPT_GATEWAY_URL=''\n"; err != nil || string(text) != want {
		t.Errorf("CLAUDE_ENV_FILE = %q, %v; want %q", text, err, want)
	}
}

// TestSessionWithAGatewayThatFails: the message contains the gateway's error.
func TestSessionWithAGatewayThatFails(t *testing.T) {
	c := newWorld(t, nil).newClient(t)
	c.env = append(c.env, "TOOLSCRIPT_HEALTH_INTERVAL=never")
	said := c.send(t, "session-start", "one", "startup")
	if !strings.Contains(said, "TOOLSCRIPT_HEALTH_INTERVAL") || !strings.Contains(said, "toolscript logs") {
		t.Errorf("the person reads %q", said)
	}
	if _, err := os.Stat(c.envFile); err == nil {
		t.Error("an address was exported")
	}
}

// TestSessionInAnUntrustedProject: the user's servers start, the message lists the
// untrusted ones, and trust makes the running gateway start them.
func TestSessionInAnUntrustedProject(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	c := newWorld(t, map[string]string{
		"home/.toolscript.json": demoConfig,
		"work/.toolscript.json": `{"mcpServers": {"theirs": {"command": "toolscript", "args": ["mcp-demo"]}}}`,
	}).newClient(t)
	c.env = append(c.env, "TOOLSCRIPT_DATA_DIR="+newData(t))
	said := c.send(t, "session-start", "one", "startup")
	if !strings.Contains(said, "theirs") || !strings.Contains(said, "toolscript trust") {
		t.Errorf("the person reads %q", said)
	}
	own := c.gateway(t)
	inside := &world{dir: c.dir, env: append(slices.Clone(c.env), "CLAUDE_CODE_SESSION_ID=one", "TOOLSCRIPT_GATEWAY_URL="+own.URL)}
	const call = `await tools.%.listFiles({})`
	if r := inside.run(t, "exec", strings.Replace(call, "%", "demo", 1)); r.code != 0 {
		t.Errorf("the user's server: %+v", r)
	}
	if r := inside.run(t, "exec", strings.Replace(call, "%", "theirs", 1)); r.code == 0 || !strings.Contains(r.stderr, "toolscript trust") {
		t.Errorf("the project's server before it is trusted: %+v", r)
	}
	person := &world{dir: c.dir, env: slices.DeleteFunc(slices.Clone(c.env), func(e string) bool { return strings.HasPrefix(e, "CLAUDE_") })}
	if r := person.run(t, "trust", "--yes"); r.code != 0 {
		t.Fatalf("trust: %+v", r)
	}
	if r := inside.run(t, "exec", strings.Replace(call, "%", "theirs", 1)); r.code != 0 {
		t.Errorf("the project's server after it is trusted: %+v", r)
	}
	if said := c.send(t, "session-start", "two", "clear"); said != "" {
		t.Errorf("after trust the person reads %q, want nothing", said)
	}
}

func TestLogs(t *testing.T) {
	w := newWorld(t, nil)
	data := t.TempDir()
	w.env = append(w.env, "TOOLSCRIPT_DATA_DIR="+data)
	if r := w.run(t, "logs"); r.code != 1 || !strings.Contains(r.stderr, "no log") {
		t.Errorf("without a log: %+v", r)
	}
	c := w.newClient(t)
	c.send(t, "session-start", "one", "startup")
	inside := &world{dir: w.dir, env: append(slices.Clone(c.env), "CLAUDE_CODE_SESSION_ID=one")}
	if r := inside.run(t, "logs"); r.code != 0 || r.stderr != "" || !strings.Contains(r.stdout, "no servers are configured") {
		t.Errorf("logs of the session: %+v", r)
	}
	if r := inside.run(t, "logs", "--json"); !strings.HasPrefix(r.stdout, `{"text":"`) || !json.Valid([]byte(strings.SplitN(r.stdout, "\n", 2)[0])) {
		t.Errorf("logs as JSON: %+v", r)
	}
	own := c.gateway(t)
	text, stdout := io.Pipe()
	following := inside.start(t, command{stdout: stdout}, "logs", "--follow")
	if first, err := bufio.NewReader(text).ReadString('\n'); err != nil || !strings.Contains(first, "no servers are configured") {
		t.Errorf("the first line of logs -f: %q, %v", first, err)
	}
	go func() { _, _ = io.Copy(io.Discard, text) }() // ends with the test
	c.send(t, "session-end", "one", "other")
	ended(t, own)
	if code := <-following.code; code != 0 {
		t.Errorf("logs -f ends with %d after the gateway", code)
	}
	if r := inside.run(t, "logs", "--server", "demo"); r.code != 0 || r.stdout != "" {
		t.Errorf("logs of a server without any: %+v", r)
	}
	about := "msg=connected server=demo tools=3\nmsg=\"tool call\" tool=demo__echo run=1\n"
	logs, err := filepath.Glob(filepath.Join(data, "logs", "*.log"))
	if err != nil || len(logs) != 1 {
		t.Fatalf("logs: %v, %v", logs, err)
	}
	if err := os.WriteFile(logs[0], []byte("msg=connected server=demo2\n"+about+"msg=\"gateway stopping\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := inside.run(t, "logs", "--server", "demo"); r.code != 0 || r.stdout != about {
		t.Errorf("logs of a server: %+v, want %q", r, about)
	}
	if r := inside.run(t, "logs"); r.code != 0 || !strings.Contains(r.stderr, "begun last") || !strings.Contains(r.stdout, "gateway stopping") {
		t.Errorf("logs after the end: %+v", r)
	}
}
