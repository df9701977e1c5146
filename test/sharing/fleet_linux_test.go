package sharing_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"

	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/test/harness"
	"github.com/toolscript/toolscript/transport/hub/cluster"
	"github.com/toolscript/toolscript/transport/hub/host"
	"github.com/toolscript/toolscript/transport/upstream"
)

// patience is the longest time that a test waits for an event.
const patience = time.Minute

// broker is the NATS server of a fleet, on a fixed port of 127.0.0.1.
type broker struct {
	*testing.T
	port    int
	store   string // folder of JetStream
	users   []*natsserver.User
	running *natsserver.Server
}

// newNATS reserves a port for a NATS server, without starting it.
func newNATS(t *testing.T, users ...*natsserver.User) *broker {
	t.Helper()
	ports, err := harness.FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	n := &broker{T: t, port: ports[0], users: users, store: t.TempDir()}
	t.Cleanup(n.stop)
	return n
}

func (n *broker) start() {
	n.Helper()
	s, err := natsserver.NewServer(&natsserver.Options{Host: "127.0.0.1", Port: n.port, NoLog: true, NoSigs: true, Users: n.users, JetStream: true, StoreDir: n.store})
	if err != nil {
		n.Fatal(err)
	}
	s.Start()
	n.running = s
	if !s.ReadyForConnections(patience) {
		n.Fatal("the NATS server is not ready")
	}
}

func (n *broker) stop() {
	if n.running != nil {
		n.running.Shutdown()
		n.running.WaitForShutdown()
		n.running = nil
	}
}

func (n *broker) url() string { return fmt.Sprintf("nats://127.0.0.1:%d", n.port) }

// serve offers servers that run the counting program to the fleet, from a host with this name.
func (w *world) serve(at cluster.Address, name string, servers ...string) *host.Fleet {
	w.Helper()
	system, err := actors.Start(actors.Options{ServersOnly: true, Dial: upstream.Host{}.Dial()})
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := system.Close(ctx); err != nil {
			w.Errorf("close the servers: %v", err)
		}
	})
	o := host.FleetOptions{Address: at, Host: name, Version: "test", Servers: system}
	for _, server := range servers {
		o.Offers = append(o.Offers, host.Offer{Name: server, Stateless: true, Config: upstream.Config{
			Type: upstream.Stdio, Command: w.Bin, Args: []string{asServer, "asks"}, Env: map[string]string{"HOME": w.Home},
		}})
	}
	f, err := host.Join(w.Context(), o)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(f.Close)
	return f
}

// fleetState is the state of a server as a gateway reports it.
type fleetState struct {
	Name, Type, State, Error string
	Hosts                    []string
}

func (w *world) states(g *harness.Gateway) (all []fleetState) {
	w.Helper()
	if _, err := g.Get(w.Context(), "/servers", &all); err != nil {
		w.Fatal(err)
	}
	return all
}

// await waits until the state of a gateway's server satisfies is.
func (w *world) await(g *harness.Gateway, name string, is func(fleetState) bool) {
	w.Helper()
	var last []fleetState
	err := harness.Until(w.Context(), func() (bool, error) {
		last = w.states(g)
		return slices.ContainsFunc(last, func(s fleetState) bool { return s.Name == name && is(s) }), nil
	})
	if err != nil {
		w.Fatalf("server %s: %v; the servers are %+v", name, err, last)
	}
}

func isReady(s fleetState) bool { return s.State == "ready" }

func (w *world) must(args ...string) string {
	w.Helper()
	out, err := w.Command(context.WithoutCancel(w.Context()), args...).CombinedOutput()
	if err != nil {
		w.Fatalf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}

// TestFleetServers checks calls, questions, states and records of a fleet's server.
func TestFleetServers(t *testing.T) {
	t.Parallel()
	n := newNATS(t)
	n.start()
	w := newWorld(t, `{"mcpServers": {"count": {"fleet": true, "excludeTools": ["echo"]}}, "fleet": {"url": "`+n.url()+`", "user": "desk"}}`)
	w.serve(cluster.Address{URL: n.url()}, "one", "count")
	w.serve(cluster.Address{URL: n.url()}, "two", "count")
	g := w.gateway("a")
	w.await(g, "count", func(s fleetState) bool {
		return isReady(s) && s.Type == "fleet" && slices.Equal(s.Hosts, []string{"one", "two"})
	})
	if out := w.must("list-servers", "--verbose", "--gateway-url", g.URL); !strings.Contains(out, "count: ready, fleet on one, two, ") {
		t.Errorf("list-servers says %q", out)
	}
	if status, _ := g.Post(t.Context(), "/tools/count__echo", map[string]any{"text": "x"}, nil); status != http.StatusNotFound {
		t.Errorf("a call of an excluded tool: HTTP %d", status)
	}
	w.bump(g)
	script := `import { tools } from "toolscript";
const asked = await tools.count.ask({method: "elicitation/create", params: {message: "Who?", requestedSchema: {type: "object", properties: {who: {type: "string"}}}}});
return [await tools.count.args(), asked];`
	run, value := w.askingRun(g, script, `{"who":"ada"}`)
	if !strings.Contains(value, "ada") {
		t.Errorf("the value of the run is %s", value)
	}
	hosts := []string{"one", "two"}
	w.until(func() bool {
		lines := w.audited()
		return len(lines) == 4 && !slices.ContainsFunc(lines, func(l auditLine) bool {
			return (l.Outcome == "ok") != slices.Contains(hosts, l.Host)
		})
	})
	out := w.must("runs", "show", run)
	if lines := strings.Split(out, "\n"); !strings.Contains(out, "Host") || !slices.ContainsFunc(lines, func(line string) bool {
		return strings.Contains(line, "count__ask") && (strings.HasSuffix(strings.TrimSpace(line), "one") || strings.HasSuffix(strings.TrimSpace(line), "two"))
	}) {
		t.Errorf("runs show says %s", out)
	}
}

// askingRun runs a script that asks one question, answers it, and returns the run's id and value.
func (w *world) askingRun(g *harness.Gateway, script, answer string) (run, value string) {
	w.Helper()
	type ended struct {
		events []map[string]any
		err    error
	}
	over := make(chan ended, 1)
	go func() {
		events, err := g.Exec(w.Context(), map[string]any{"code": script, "ask": true})
		over <- ended{events, err}
	}()
	var e ended
	replied := false
	w.until(func() bool {
		select {
		case e = <-over:
			return true
		default:
		}
		var runs []struct{ RunID string }
		if _, err := g.Get(w.Context(), "/runs", &runs); err != nil || len(runs) != 1 || replied {
			return false
		}
		run = runs[0].RunID
		status, err := g.Post(w.Context(), "/runs/"+run+"/reply", map[string]any{"askId": "ask_1", "action": "accept", "content": json.RawMessage(answer)}, nil)
		replied = err == nil && status == http.StatusNoContent
		return false
	})
	if e.err != nil || len(e.events) == 0 {
		w.Fatalf("the run ended with %v, %v", e.events, e.err)
	}
	text, _ := json.Marshal(e.events[len(e.events)-1]) // it was decoded from JSON
	return run, string(text)
}

// auditLine is a call in the audit log.
type auditLine struct{ Type, Tool, Host, Outcome string }

func (w *world) audited() (calls []auditLine) {
	w.Helper()
	files, err := filepath.Glob(filepath.Join(w.Home, ".toolscript", "audit", "audit-*.jsonl"))
	if err != nil {
		w.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			w.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var l auditLine
			if json.Unmarshal([]byte(line), &l) == nil && l.Type == "call" {
				calls = append(calls, l)
			}
		}
	}
	return calls
}

// TestFleetLost: a gateway starts without the NATS server, uses it when it runs, and uses it again after
// it was stopped. No call is executed twice. The test has no short form, because it waits for the
// pauses of two reconnections.
func TestFleetLost(t *testing.T) {
	t.Parallel()
	n := newNATS(t)
	w := newWorld(t, `{"mcpServers": {"count": {"fleet": true}}, "fleet": {"url": "`+n.url()+`"}}`)
	g := w.gateway("a")
	w.await(g, "count", func(s fleetState) bool {
		return s.State == "backoff" && strings.Contains(s.Error, n.url()+" cannot be reached") && strings.Contains(s.Error, `check "url"`)
	})
	n.start()
	w.must("gateway", "reload", "--gateway-url", g.URL)
	w.await(g, "count", func(s fleetState) bool {
		return s.State == "backoff" && strings.Contains(s.Error, "no hub of the fleet offers the server count; see: toolscript status fleet")
	})
	first := w.serve(cluster.Address{URL: n.url()}, "one", "count")
	w.await(g, "count", isReady)
	if count := w.bump(g); count != 1 {
		t.Errorf("the first call was counted as %d", count)
	}
	failed := make(chan int, 1)
	go func() {
		status, _ := g.Post(t.Context(), "/tools/count__never", map[string]any{}, nil)
		failed <- status
	}()
	w.until(func() bool {
		var all []struct{ InFlight int }
		_, err := g.Get(t.Context(), "/servers", &all)
		return err == nil && len(all) == 1 && all[0].InFlight == 1
	})
	n.stop()
	if status := <-failed; status != http.StatusServiceUnavailable {
		t.Errorf("a call in flight ended with HTTP %d", status)
	}
	select {
	case <-first.Lost():
	case <-time.After(patience):
		t.Fatal("the hub has not noticed")
	}
	w.await(g, "count", func(s fleetState) bool { return s.State == "backoff" })
	n.start()
	w.serve(cluster.Address{URL: n.url()}, "two", "count")
	w.await(g, "count", func(s fleetState) bool { return isReady(s) && slices.Equal(s.Hosts, []string{"two"}) })
	if count := w.bump(g); count != 1 {
		t.Errorf("the first call of the other hub was counted as %d", count)
	}
}

// TestFleetUse: with "*", a gateway uses all servers of the fleet, except those whose names are
// configured otherwise.
func TestFleetUse(t *testing.T) {
	t.Parallel()
	n := newNATS(t)
	n.start()
	w := newWorld(t, `{"mcpServers": {"count": {SERVER}}, "fleet": {"url": "`+n.url()+`", "use": "*"}}`)
	w.serve(cluster.Address{URL: n.url()}, "one", "count", "first")
	script := filepath.Join(w.Home, "bump.ts")
	if err := os.WriteFile(script, []byte(`import { tools } from "toolscript"; return await tools.first.bump();`), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := w.must("exec", script); !strings.Contains(out, "1") {
		t.Errorf("a command without a gateway says %q", out)
	}
	g := w.gateway("a")
	w.await(g, "first", isReady)
	w.await(g, "count", func(s fleetState) bool { return isReady(s) && s.Type == "stdio" })
	w.until(func() bool { return strings.Contains(g.Log(), "a server of the fleet is not used") })
	second := w.serve(cluster.Address{URL: n.url()}, "two", "second")
	w.must("gateway", "reload", "--gateway-url", g.URL)
	w.await(g, "second", isReady)
	if out := w.must("gateway", "reload", "--dry-run", "--gateway-url", g.URL); !strings.Contains(out, "Servers that stay as they are: 3") || !strings.Contains(out, "Nothing would change") {
		t.Errorf("a reload that changes nothing says %s", out)
	}
	second.Close()
	w.until(func() bool {
		w.must("gateway", "reload", "--gateway-url", g.URL)
		return !slices.ContainsFunc(w.states(g), func(s fleetState) bool { return s.Name == "second" })
	})
	w.configure(`{"mcpServers": {"count": {SERVER}}, "fleet": {"url": "` + n.url() + `", "use": ["second"]}}`)
	w.must("gateway", "reload", "--gateway-url", g.URL)
	w.await(g, "second", func(s fleetState) bool { return s.State == "backoff" })
	if slices.ContainsFunc(w.states(g), func(s fleetState) bool { return s.Name == "first" }) {
		t.Error("a server is used that the configuration does not name")
	}
}

// TestFleetCredentials: the state of a server says that the fleet refuses the credentials, without
// showing them. A reload uses new credentials.
func TestFleetCredentials(t *testing.T) {
	n := newNATS(t, &natsserver.User{Username: "me", Password: "right-password"})
	n.start()
	at := strings.Replace(n.url(), "nats://", "nats://me:right-password@", 1)
	config := func(url, more string) string {
		return `{"mcpServers": {"count": {"fleet": true}}, "fleet": {"url": "` + url + `"` + more + `}}`
	}
	w := newWorld(t, config(strings.Replace(at, "right", "wrong", 1), ""))
	w.serve(cluster.Address{URL: at}, "one", "count")
	g := w.gateway("a")
	w.await(g, "count", func(s fleetState) bool {
		return s.State == "backoff" && strings.Contains(s.Error, n.url()+" refuses the credentials") && strings.Contains(s.Error, `check "credentials"`)
	})
	w.configure(config(at, `, "credentials": "missing.creds"`))
	w.must("gateway", "reload", "--gateway-url", g.URL)
	w.await(g, "count", func(s fleetState) bool {
		return s.State == "failed" && strings.Contains(s.Error, filepath.Join(w.Home, "missing.creds"))
	})
	w.configure(config(at, ""))
	w.must("gateway", "reload", "--gateway-url", g.URL)
	w.await(g, "count", isReady)
	w.bump(g)
	if log := g.Log(); strings.Contains(log, "wrong-password") || strings.Contains(log, "right-password") {
		t.Error("the log has the password")
	}
}

// hubOfFleet starts `toolscript hub --serve FILE`, and returns when gateways can use the hub.
func (w *world) hubOfFleet(url string, stateless bool) *exec.Cmd {
	w.Helper()
	path, err := w.Config("servers.json", fmt.Sprintf(`{"mcpServers": {"count": {"command": %q, "args": [%q, "asks"], "stateless": %t}}, "fleet": {"url": %q}}`, w.Bin, asServer, stateless, url))
	if err != nil {
		w.Fatal(err)
	}
	return w.fleetHub("servers count", "--serve", path)
}

// TestFleetOwnerKilled: after the owner of a server that is not stateless is killed, another hub runs the
// server, and at no time are there two processes. The test prints how long that takes.
func TestFleetOwnerKilled(t *testing.T) {
	t.Parallel()
	n := newNATS(t)
	n.start()
	w := newWorld(t, `{"mcpServers": {"count": {"fleet": true}}, "fleet": {"url": "`+n.url()+`"}}`)
	owner := w.hubOfFleet(n.url(), false)
	g := w.gateway("a")
	w.await(g, "count", isReady)
	w.hubOfFleet(n.url(), false)
	w.bump(g)
	before := w.servers()
	if all := w.must("status", "gateways"); !strings.Contains(all, "\tready\t") || !strings.Contains(all, "\tstandby\t") {
		t.Errorf("status gateways prints\n%s", all)
	}
	killed := time.Now()
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = owner.Wait() // killed, so an error is expected
	w.until(func() bool {
		count, _, err := tryBump(t.Context(), g)
		return err == nil && count == 1
	})
	type item struct {
		Kind, Name, State, Error string
		Lease                    uint64
	}
	var items []item
	if err := json.Unmarshal([]byte(w.must("status", "gateways", "--json")), &items); err != nil {
		t.Fatal(err)
	}
	if i := slices.IndexFunc(items, func(i item) bool { return i.Kind == "fleet server" }); i < 1 || items[i].Name != "count" || items[i].State != "ready" || items[i].Lease == 0 {
		t.Errorf("status gateways: %+v", items)
	}
	t.Logf("the next owner has answered after %s", time.Since(killed).Round(time.Millisecond))
	if after := w.servers(); len(before) != 1 || len(after) != 1 || before[0] == after[0] {
		t.Errorf("servers %v, then %v; want one other", before, after)
	}
}
