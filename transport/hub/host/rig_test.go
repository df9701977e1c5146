package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/test/fixture/mcpserver"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/hub"
	"github.com/toolscript/toolscript/transport/hub/host"
	_ "github.com/toolscript/toolscript/transport/kinds" // for Config.Kind
	"github.com/toolscript/toolscript/transport/upstream"
)

// serverRole is the environment variable that turns this test binary into a server.
const serverRole = "HUB_TEST_ROLE"

func TestMain(m *testing.M) {
	if os.Getenv(serverRole) != "" {
		os.Exit(mcpserver.Main())
	}
	os.Exit(m.Run())
}

// config returns a server with the given switches. shared is a value of Config.Shared.
func config(t *testing.T, shared string, switches ...string) upstream.Config {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{serverRole: "server", "GORACE": "atexit_sleep_ms=0"}
	if testing.CoverMode() != "" {
		env["GOCOVERDIR"] = t.TempDir()
	}
	return upstream.Config{Type: upstream.Stdio, Command: self, Args: switches, Env: env, Dir: t.TempDir(), Shared: shared}
}

// hubRig is a hub that runs in this process, with a real socket.
type hubRig struct {
	t      *testing.T
	path   string
	host   *host.Host
	system *actors.System
}

const token = "the token of the test"

func startHub(t *testing.T, change func(*host.Options)) *hubRig {
	t.Helper()
	dir, err := os.MkdirTemp("", "hub") //nolint:usetesting // the path of t.TempDir may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return startHubAt(t, filepath.Join(dir, "s"), change)
}

func startHubAt(t *testing.T, path string, change func(*host.Options)) *hubRig {
	t.Helper()
	r := &hubRig{t: t, path: path}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", path)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	dial := upstream.Host{}.Dial()
	r.system = startSystem(t, actors.Options{ServersOnly: true, Dial: func(ctx context.Context, name string, cfg upstream.Config, on upstream.Events) (server.Conn, error) {
		mu.Lock()
		h := r.host
		mu.Unlock()
		return dial(ctx, name, cfg, h.Events(name, on))
	}})
	o := host.Options{
		Listener: listener, Token: token, Version: "test", Servers: r.system, Idle: time.Hour,
	}
	if change != nil {
		change(&o)
	}
	mu.Lock()
	r.host, err = host.Start(o)
	mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.host.Close(); err != nil {
			t.Errorf("close the hub: %v", err)
		}
	})
	return r
}

// startSystem starts a System that ends with the test.
func startSystem(t *testing.T, o actors.Options) *actors.System {
	t.Helper()
	s, err := actors.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), kit.Patience)
		defer cancel()
		if err := s.Close(ctx); err != nil {
			t.Errorf("close a system: %v", err)
		}
	})
	return s
}

func (r *hubRig) endpoint() hub.Endpoint {
	return hub.Endpoint{Token: token, Dial: func(ctx context.Context) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", r.path)
	}}
}

func (r *hubRig) client(answers *budget.Budget) *hub.Client {
	c := hub.NewClient(hub.ClientOptions{
		Find: func(context.Context) (hub.Endpoint, error) { return r.endpoint(), nil }, Label: "test", Answers: answers,
	})
	r.t.Cleanup(c.Close)
	return c
}

// gateway starts a gateway with one server.
func (r *hubRig) gateway(c *hub.Client, cfg upstream.Config) *actors.System {
	return startGateway(r.t, upstream.DialWith(c.Dial), cfg)
}

func startGateway(t *testing.T, shared server.Dial, cfg upstream.Config) *actors.System {
	t.Helper()
	return startSystem(t, actors.Options{
		Servers: map[string]upstream.Config{"srv": cfg}, Dial: upstream.Host{Shared: shared}.Dial(),
	})
}

// ready waits until the server is connected.
func ready(t *testing.T, s *actors.System) {
	t.Helper()
	awaitState(t, s, toolscript.Ready)
}

func awaitState(t *testing.T, s *actors.System, want toolscript.ServerState) toolscript.ServerStatus {
	t.Helper()
	ctx := kit.Within(t)
	for {
		v, _ := s.ViewServer("srv")
		if v.Status.State == want {
			return v.Status
		}
		select {
		case <-v.Changed:
		case <-ctx.Done():
			t.Fatalf("the server is %s and not %s: %s", v.Status.State, want, v.Status.Error)
		}
	}
}

// awaitTool waits until the catalog has a tool, or no longer has it.
func awaitTool(t *testing.T, s *actors.System, tool string, want bool) {
	t.Helper()
	ctx := kit.Within(t)
	for {
		v, _ := s.ViewServer("srv")
		if _, has := s.Catalog().Lookup("srv__" + tool); has == want {
			return
		}
		select {
		case <-v.Changed:
		case <-ctx.Done():
			t.Fatalf("tool %s: in the catalog is not %t", tool, want)
		}
	}
}

func servedCall(t *testing.T, s *actors.System, tool, args string) (json.RawMessage, error) {
	t.Helper()
	return s.CallTool(kit.Within(t), toolscript.Call{ID: "srv__" + tool, Args: json.RawMessage(args)})
}

// text returns the text of the first content block of a result.
func text(t *testing.T, result json.RawMessage, err error) string {
	t.Helper()
	if err != nil {
		t.Fatalf("call: %v", err)
	}
	var r struct {
		Content []struct{ Text string } `json:"content"`
	}
	if err := json.Unmarshal(result, &r); err != nil || len(r.Content) == 0 {
		t.Fatalf("result %.200s: %v", result, err)
	}
	return r.Content[0].Text
}

// pid returns the process id of the server.
func pid(t *testing.T, s *actors.System) int {
	t.Helper()
	result, err := servedCall(t, s, "args", `{}`)
	var p struct{ PID int }
	if err := json.Unmarshal([]byte(text(t, result, err)), &p); err != nil {
		t.Fatal(err)
	}
	return p.PID
}

// ended reports whether no process has this id.
func ended(id int) bool {
	p, err := os.FindProcess(id)
	return err != nil || errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

func kindIs(t *testing.T, err error, want toolscript.Kind, part string) {
	t.Helper()
	if toolscript.KindOf(err) != want || !strings.Contains(err.Error(), part) {
		t.Errorf("error of kind %q: %v; want kind %q and text %q", toolscript.KindOf(err), err, want, part)
	}
}

var _ host.Servers = (*actors.System)(nil)

var errNo = errors.New("no")

func itoa(n int) string {
	text, _ := json.Marshal(n)
	return string(text)
}
