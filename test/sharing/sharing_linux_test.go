// Package sharing_test runs gateways that share servers as processes, and examines them from outside.
package sharing_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/toolscript/toolscript/cmd/cli"
	"github.com/toolscript/toolscript/test/fixture/mcpserver"
	"github.com/toolscript/toolscript/test/harness"
)

// asServer is the argument that makes the test binary an MCP server.
const asServer = "be-a-server"

// TestMain makes the test binary act as the program and as the servers.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == asServer:
		os.Exit(mcpserver.Main())
	case len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-test."):
		os.Exit(cli.Main())
	}
	os.Exit(m.Run())
}

// world is a user with their own home folder.
type world struct {
	*testing.T
	harness.Program
}

// newWorld writes the user's configuration, in which SERVER stands for a server that counts its calls.
func newWorld(t *testing.T, config string) *world {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p, err := harness.Quick(self, t.TempDir())
	w := &world{t, p}
	if err := errors.Join(err, os.Mkdir(filepath.Join(w.Home, "run"), 0o700)); err != nil {
		t.Fatal(err)
	}
	w.configure(config)
	t.Cleanup(func() {
		_, _ = w.run("hub", "stop") // only if a hub runs
		if left := w.servers(); len(left) > 0 {
			t.Errorf("servers left: %v", left)
		}
	})
	return w
}

func (w *world) configure(config string) {
	w.Helper()
	config = strings.ReplaceAll(config, "SERVER", fmt.Sprintf(`"command": %q, "args": [%q, "asks"]`, w.Bin, asServer))
	if _, err := w.Config(".toolscript.json", config); err != nil {
		w.Fatal(err)
	}
}

// run runs a command of the program and returns its output.
func (w *world) run(args ...string) (stdout string, err error) {
	out, err := w.Command(context.WithoutCancel(w.Context()), args...).Output()
	return string(out), err
}

// gateway starts a gateway in a folder below the home folder and waits for its servers.
func (w *world) gateway(folder string) *harness.Gateway {
	w.Helper()
	dir := filepath.Join(w.Home, folder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		w.Fatal(err)
	}
	p := w.Program
	p.Dir = dir
	g, err := p.StartGateway(context.WithoutCancel(w.Context()), "--no-observe")
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() {
		if g.Running() {
			if err := g.Stop(); err != nil {
				w.Errorf("the gateway ended with %v", err)
			}
		}
		if log := g.Log(); w.Failed() {
			w.Logf("the end of the gateways' log:\n%s", log[max(0, len(log)-4000):])
		}
	})
	return g
}

// bump calls the counting server and returns its count.
func (w *world) bump(g *harness.Gateway) (count int) {
	w.Helper()
	count, status, err := tryBump(w.Context(), g)
	if err != nil || status != http.StatusOK {
		w.Fatalf("call: HTTP %d, %v", status, err)
	}
	return count
}

func tryBump(ctx context.Context, g *harness.Gateway) (count, status int, err error) {
	var answer struct {
		Content []struct{ Text string }
	}
	status, err = g.Post(ctx, "/tools/count__bump", map[string]any{}, &answer)
	if err != nil || status != http.StatusOK || len(answer.Content) == 0 {
		return 0, status, err
	}
	count, err = strconv.Atoi(answer.Content[0].Text)
	return count, status, err
}

func (w *world) until(done func() bool) {
	w.Helper()
	if err := harness.Until(w.Context(), func() (bool, error) { return done(), nil }); err != nil {
		w.Fatal(err)
	}
}

func (w *world) ready(gateways ...*harness.Gateway) {
	w.Helper()
	for _, g := range gateways {
		w.until(func() bool { return state(w.Context(), g).State == "ready" })
	}
}

type serverState struct{ Name, State, Shared, Error string }

func state(ctx context.Context, g *harness.Gateway) serverState {
	var states []serverState
	if _, err := g.Get(ctx, "/servers", &states); err != nil || len(states) == 0 {
		return serverState{}
	}
	return states[0]
}

// hubState is the state of the hub as the command prints it.
type hubState struct {
	Running  bool
	PID      int
	Gateways []struct{ PID int }
	Servers  []struct {
		Name, Folder, State string
		PID, Gateways       int
	}
}

func (w *world) hub() (s hubState) {
	w.Helper()
	out, err := w.run("status", "hub", "--json")
	if err != nil {
		w.Fatalf("status hub: %v", err)
	}
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		w.Fatalf("status hub: %q: %v", out, err)
	}
	return s
}

// servers returns the process ids of this world's servers.
func (w *world) servers() (pids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*") // the pattern is valid
	for _, dir := range all {
		line, _ := os.ReadFile(filepath.Join(dir, "cmdline")) // the process may have ended
		env, _ := os.ReadFile(filepath.Join(dir, "environ"))
		if args := strings.Split(string(line), "\x00"); len(args) > 1 && args[1] == asServer &&
			slices.Contains(strings.Split(string(env), "\x00"), "HOME="+w.Home) {
			pid, _ := strconv.Atoi(filepath.Base(dir)) // the pattern matches only digits
			pids = append(pids, pid)
		}
	}
	return pids
}

const sharedConfig = `{"mcpServers": {"count": {SERVER, "shared": true}}}`

// TestOneServer: three gateways that start at the same time use one server, in one hub. When one of the
// gateways is killed, the server stays for the others.
func TestOneServer(t *testing.T) {
	w := newWorld(t, sharedConfig)
	a, b, c := w.gateway("a"), w.gateway("b"), w.gateway("c")
	w.ready(a, b, c)
	if pids := w.servers(); len(pids) != 1 {
		t.Fatalf("servers: %v, want one", pids)
	}
	for i, g := range []*harness.Gateway{a, b, c} {
		if n := w.bump(g); n != i+1 {
			t.Errorf("call %d was counted as %d", i+1, n)
		}
	}
	if s := state(t.Context(), a); s.Shared != "host" {
		t.Errorf("the gateway shows %+v, want a shared server", s)
	}
	s := w.hub()
	if len(s.Gateways) != 3 || len(s.Servers) != 1 || s.Servers[0].Gateways != 3 || !slices.Equal(w.servers(), []int{s.Servers[0].PID}) {
		t.Errorf("hub: %+v", s)
	}
	out, err := w.Command(t.Context(), "hub").CombinedOutput()
	if err == nil || !strings.Contains(string(out), fmt.Sprintf("a hub runs for this user (process %d)", s.PID)) {
		t.Errorf("a second hub: %v, %s", err, out)
	}
	if err := b.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = b.Wait() // killed, so an error is expected
	w.until(func() bool { return len(w.hub().Gateways) == 2 })
	if n := w.bump(c); n != 4 {
		t.Errorf("after the end of another gateway the count is %d, want 4", n)
	}
}

// TestServersRestart: the command ends the process of a shared server, and all gateways use the next one.
func TestServersRestart(t *testing.T) {
	w := newWorld(t, sharedConfig)
	a, b := w.gateway("a"), w.gateway("b")
	w.ready(a, b)
	w.bump(b)
	before := w.servers()
	if out, err := w.Command(t.Context(), "servers", "restart", "count", "--gateway-url", a.URL).CombinedOutput(); err != nil {
		t.Fatalf("servers restart: %v, %s", err, out)
	}
	w.ready(a, b)
	after := w.servers()
	if len(before) != 1 || len(after) != 1 || before[0] == after[0] {
		t.Errorf("servers %v before the restart and %v after it", before, after)
	}
	if n, m := w.bump(a), w.bump(b); n != 1 || m != 2 {
		t.Errorf("the calls after the restart were counted as %d and %d, want 1 and 2", n, m)
	}
}

// TestKilledHub: the gateways find another hub, which has one server, and no server of the killed hub
// is left.
func TestKilledHub(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sharedConfig)
	a, b := w.gateway("a"), w.gateway("b")
	w.ready(a, b)
	before := w.servers()
	first := w.hub()
	if err := syscall.Kill(first.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	w.until(func() bool {
		_, one, errA := tryBump(t.Context(), a)
		_, other, errB := tryBump(t.Context(), b)
		return errA == nil && errB == nil && one == http.StatusOK && other == http.StatusOK
	})
	second := w.hub()
	after := w.servers()
	if second.PID == first.PID || len(second.Gateways) != 2 || len(after) != 1 || slices.Equal(before, after) {
		t.Errorf("hub %d with server %v, then hub %+v with servers %v", first.PID, before, second, after)
	}
}

// TestKilledServer: the hub restarts a killed server once.
func TestKilledServer(t *testing.T) {
	w := newWorld(t, sharedConfig)
	a, b := w.gateway("a"), w.gateway("b")
	w.ready(a, b)
	before := w.servers()
	if err := syscall.Kill(before[0], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	w.until(func() bool {
		_, one, errA := tryBump(t.Context(), a)
		_, other, errB := tryBump(t.Context(), b)
		return errA == nil && errB == nil && one == http.StatusOK && other == http.StatusOK
	})
	if after := w.servers(); len(after) != 1 || slices.Equal(before, after) {
		t.Errorf("servers %v, then %v; want one other", before, after)
	}
}

// TestIdleEnd: after its last gateway, the hub ends with its servers and files, and the next gateway
// starts another hub.
func TestIdleEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `{"mcpServers": {"count": {SERVER, "shared": true}}, "hub": {"idle": "5s"}}`)
	a := w.gateway("a")
	w.ready(a)
	first := w.hub().PID
	if err := a.Stop(); err != nil {
		t.Fatal(err)
	}
	w.until(func() bool { return !w.hub().Running && len(w.servers()) == 0 })
	for _, ending := range []string{"json", "sock"} {
		if left, _ := filepath.Glob(filepath.Join(w.Home, "run", "hub-*."+ending)); len(left) > 0 {
			t.Errorf("files left: %v", left)
		}
	}
	b := w.gateway("b")
	w.ready(b)
	if second := w.hub().PID; second == first {
		t.Error("the hub did not end")
	}
}

// TestDefinitions: servers with the same name but different definitions, or in two projects, are
// different servers.
func TestDefinitions(t *testing.T) {
	w := newWorld(t, `{"mcpServers": {"count": {SERVER, "shared": "per-project"}}}`)
	a, b, again := w.gateway("a"), w.gateway("b"), w.gateway("a")
	w.ready(a, b, again)
	if n := w.bump(a) + w.bump(again) + w.bump(b); n != 1+2+1 || len(w.servers()) != 2 {
		t.Errorf("counts: %d, servers %v; want two, of which one has two calls", n, w.servers())
	}
	w.configure(`{"mcpServers": {"count": {SERVER, "shared": true, "env": {"OF": "one"}}}}`)
	c := w.gateway("c")
	w.configure(`{"mcpServers": {"count": {SERVER, "shared": true, "env": {"OF": "other"}}}}`)
	d := w.gateway("c")
	w.ready(c, d)
	if one, other := w.bump(c), w.bump(d); one != 1 || other != 1 {
		t.Errorf("counts: %d and %d, want 1 and 1", one, other)
	}
}

// TestWithdrawnTrust: the server of a project ends when the project is no longer trusted, although the
// gateway keeps running.
func TestWithdrawnTrust(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `{"mcpServers": {}}`)
	project := filepath.Join(w.Home, "project")
	if err := os.Mkdir(project, 0o700); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`{"mcpServers": {"count": {"command": %q, "args": [%q, "asks"], "shared": true}}}`, w.Bin, asServer)
	if err := os.WriteFile(filepath.Join(project, ".toolscript.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	g := w.gateway("project")
	w.until(func() bool { return state(t.Context(), g).State == "failed" })
	if w.hub().Running {
		t.Error("a hub runs for a server that is not trusted")
	}
	if out, err := w.run("trust", "--yes", project); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	w.ready(g)
	w.bump(g)
	if out, err := w.run("trust", "--remove", project); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	w.until(func() bool { return len(w.servers()) == 0 })
	if s := w.hub(); len(s.Servers) != 0 {
		t.Errorf("hub: %+v", s)
	}
	w.until(func() bool { return state(t.Context(), g).State == "failed" }) // the gateway answers
}

// TestStaleFiles: files that a killed hub has left, and a long path of its socket, do not prevent a start.
func TestStaleFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sharedConfig)
	long := filepath.Join(w.Home, strings.Repeat("folder/", 15), "run")
	if err := os.MkdirAll(long, 0o700); err != nil {
		t.Fatal(err)
	}
	w.Env = []string{"TOOLSCRIPT_RUNTIME_DIR=" + long}
	a := w.gateway("a")
	w.ready(a)
	if err := a.Stop(); err != nil {
		t.Fatal(err)
	}
	first := w.hub().PID
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	w.until(func() bool { return len(w.servers()) == 0 })
	if left, _ := filepath.Glob(filepath.Join(long, "hub-*.sock")); len(left) != 1 {
		t.Errorf("sockets left: %v, want that of the killed hub", left)
	}
	b := w.gateway("b")
	w.ready(b)
	if s := w.hub(); s.PID == first || len(s.Servers) != 1 {
		t.Errorf("hub: %+v", s)
	}
}

// TestNoHub: if a hub cannot write its file, the state of the server names the cause.
func TestNoHub(t *testing.T) {
	w := newWorld(t, sharedConfig)
	blocked := filepath.Join(w.Home, "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w.Env = []string{"TOOLSCRIPT_RUNTIME_DIR=" + blocked}
	g := w.gateway("a")
	w.until(func() bool { return state(t.Context(), g).State == "backoff" })
	if s := state(t.Context(), g); !strings.Contains(s.Error, blocked) {
		t.Errorf("state %+v does not name %s", s, blocked)
	}
	if len(w.servers()) != 0 {
		t.Error("a server runs without a hub")
	}
	w.Env = nil
}

// TestSharedAccounts: each account of a shared server runs in the hub, with its own environment.
func TestSharedAccounts(t *testing.T) {
	w := newWorld(t, `{"mcpServers": {"hub": {SERVER, "env": {"WHO": "${account}"}, "shared": true, "accounts": ["work", "home"]}}}`)
	w.gateway("one")
	out, err := w.run("exec", `return [await tools.hub.env(), await tools.hub.$as("home").env()].map((all: string[]) => all.find((v) => v.startsWith("WHO=")))`)
	if err != nil || strings.TrimSpace(out) != `["WHO=work","WHO=home"]` {
		t.Errorf("%s, %v", out, err)
	}
	if out, err := w.run("status", "hub"); err != nil || !strings.Contains(out, "hub@work") || !strings.Contains(out, "hub@home") {
		t.Errorf("%s, %v", out, err)
	}
}
