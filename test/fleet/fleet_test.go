//go:build linux

package fleet

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/toolscript/toolscript/test/fleet/history"
	"github.com/toolscript/toolscript/test/harness"
)

// The servers that the gateways call.
const (
	owned  = "owned"  // a server of the fleet with one owner
	spread = "spread" // a server of the fleet at both hubs
	shared = "shared" // shared on its machine
	own    = "own"    // started by each gateway
)

var servers = []string{owned, spread, shared, own}

const (
	hubs  = 3
	desks = 2
)

// timeouts are the call timeouts of the gateways at each desk.
var timeouts = [desks]time.Duration{5 * time.Second, 20 * time.Second}

// bound is far longer than any step takes.
const bound = 90 * time.Second

// machine is a computer in the fleet, with its links to the nodes.
type machine struct {
	harness.Program
	name  string
	links []*link
}

// hub is a machine with a hub that offers servers.
type hub struct {
	machine
	cmd *exec.Cmd // nil if it does not run
}

// gateway is a gateway on the machine of a desk.
type gateway struct {
	name  string
	desk  *machine
	limit time.Duration

	mu      sync.Mutex
	running *harness.Gateway // nil if it does not run
}

func (g *gateway) now() *harness.Gateway {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.running
}

func (g *gateway) set(to *harness.Gateway) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running = to
}

// fleet is a cluster with the machines that use it.
type fleet struct {
	*testing.T
	dir      string
	self     string // path of this test binary
	cluster  *cluster
	hubs     []*hub
	desks    []*machine
	gateways []*gateway
	record   *record
	random   *rand.Rand
	backs    []time.Duration // from the end of each fault until all gateways had answers
	judged   int             // number of effects that were compared with the calls of their fault
	atEnds   []func()
}

// atEnd registers a function to be called when the fleet ends, the last one first.
func (f *fleet) atEnd(end func()) { f.atEnds = append(f.atEnds, end) }

// end ends all processes of the fleet.
func (f *fleet) end() {
	for _, end := range slices.Backward(f.atEnds) {
		end()
	}
}

// newFleet starts the processes of a fleet, with its files in the folder dir.
func newFleet(t *testing.T, dir, program string) *fleet {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f := &fleet{T: t, dir: dir, self: self, record: &record{}}
	defer func() {
		if t.Failed() {
			f.end()
		}
	}()
	f.cluster = f.newCluster()
	for i := range hubs {
		h := &hub{machine: f.machine(program, fmt.Sprint("hub", i))}
		f.configureHub(h)
		f.hubs = append(f.hubs, h)
		f.atEnd(func() { f.killHub(h) })
		f.startHub(h)
	}
	for i := range desks {
		d := f.machine(program, fmt.Sprint("desk", i))
		f.desks = append(f.desks, &d)
		f.configureDesk(&d, timeouts[i])
		for j := range 2 {
			g := &gateway{name: fmt.Sprintf("desk%d-%d", i, j), desk: &d, limit: timeouts[i]}
			f.gateways = append(f.gateways, g)
			f.startGateway(g)
		}
		f.atEnd(func() { f.clear(&d) })
	}
	return f
}

func (f *fleet) machine(program, name string) machine {
	f.Helper()
	home := filepath.Join(f.dir, name)
	bin := filepath.Join(home, "toolscript")
	if err := errors.Join(os.MkdirAll(filepath.Join(home, "run"), 0o700), os.Link(program, bin)); err != nil {
		f.Fatal(err)
	}
	p, err := harness.Quick(bin, home)
	if err != nil {
		f.Fatal(err)
	}
	m := machine{name: name, Program: p}
	for _, n := range f.cluster.nodes {
		m.links = append(m.links, f.newLink(name+"-"+n.name, n.port))
	}
	return m
}

// address returns the part of a configuration that names the cluster.
func (f *fleet) address(m *machine, user string) map[string]any {
	var urls []string
	for _, l := range m.links {
		urls = append(urls, l.url(user))
	}
	return map[string]any{"url": strings.Join(urls, ","), "tls": map[string]any{"ca": f.cluster.ca}}
}

// effects returns the path of the file to which a server writes the calls that it executes.
func (f *fleet) effects(server, place string) string {
	return filepath.Join(f.dir, server+"@"+place+".effects")
}

// server returns the configuration of a server that records its effects.
func (f *fleet) server(name, place string) map[string]any {
	return map[string]any{"command": f.self, "args": []string{asServer, "counts=" + f.effects(name, place), "stamps"}, "env": map[string]string{"GORACE": "atexit_sleep_ms=0"}}
}

func (f *fleet) write(m *machine, name string, config map[string]any) {
	f.Helper()
	text, _ := json.Marshal(config) // this map always has a JSON form
	if _, err := m.Config(name, string(text)); err != nil {
		f.Fatal(err)
	}
}

// hubFile is the name of the file with the servers of a hub.
const hubFile = "servers.json"

// configureHub writes the servers of a hub to its file. The extra servers are stateless.
func (f *fleet) configureHub(h *hub, extra ...string) {
	f.Helper()
	all := map[string]any{owned: f.server(owned, h.name)}
	for _, name := range append([]string{spread}, extra...) {
		s := f.server(name, h.name)
		s["stateless"] = true
		all[name] = s
	}
	f.write(&h.machine, hubFile, map[string]any{"mcpServers": all, "fleet": f.address(&h.machine, hubUser)})
}

func (f *fleet) configureDesk(d *machine, limit time.Duration) {
	f.Helper()
	all := map[string]any{owned: map[string]any{"fleet": true}, spread: map[string]any{"fleet": true}, shared: f.server(shared, d.name), own: f.server(own, d.name)}
	all[shared].(map[string]any)["shared"] = true
	for _, s := range all {
		s.(map[string]any)["timeout"] = limit.String()
	}
	f.write(d, ".toolscript.json", map[string]any{"mcpServers": all, "fleet": f.address(d, gatewayUser)})
}

// launchHub starts a hub and returns its output.
func (f *fleet) launchHub(h *hub) *bufio.Reader {
	f.Helper()
	log, err := os.OpenFile(filepath.Join(f.dir, h.name+".log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		f.Fatal(err)
	}
	defer log.Close() //nolint:errcheck // the hub has its own copy
	h.cmd = h.Command(context.WithoutCancel(f.Context()), "hub", "--log-format", "json", "--serve", filepath.Join(h.Home, hubFile))
	h.cmd.Stderr = log
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		f.Fatal(err)
	}
	if err := h.cmd.Start(); err != nil {
		f.Fatal(err)
	}
	return bufio.NewReader(out)
}

// startHub starts a hub and returns when gateways can use it.
func (f *fleet) startHub(h *hub) {
	f.Helper()
	if !f.readyHub(h, f.launchHub(h)) {
		f.FailNow()
	}
}

// readyHub waits until a hub reports that gateways can use it.
func (f *fleet) readyHub(h *hub, out *bufio.Reader) bool {
	f.Helper()
	said := make(chan string, 1)
	go func() {
		line, _ := out.ReadString('\n') // "" if the hub has ended
		said <- line
	}()
	select {
	case line := <-said:
		if !strings.Contains(line, "servers") {
			f.Errorf("%s said %q; its log ends with\n%s", h.name, line, f.tail(h))
			return false
		}
	case <-time.After(bound):
		f.Errorf("%s is not ready; its log ends with\n%s", h.name, f.tail(h))
		return false
	}
	return true
}

// log returns the log of a hub.
func (f *fleet) log(h *hub) string {
	text, _ := os.ReadFile(filepath.Join(f.dir, h.name+".log")) // a missing file counts as empty
	return string(text)
}

// tail returns the end of a hub's log.
func (f *fleet) tail(h *hub) string {
	text := f.log(h)
	return text[max(0, len(text)-4000):]
}

func (f *fleet) killHub(h *hub) {
	if h.cmd == nil {
		return
	}
	_ = h.cmd.Process.Kill() // it may have ended already
	_ = h.cmd.Wait()         // killed, so an error is expected
	h.cmd = nil
}

// endHub ends a hub with SIGTERM and waits for its end.
func (f *fleet) endHub(h *hub) {
	f.Helper()
	f.signal(h.cmd.Process.Pid, syscall.SIGTERM)
	if err := h.cmd.Wait(); err != nil {
		f.Errorf("%s ended with %v; its log ends with\n%s", h.name, err, f.tail(h))
	}
	h.cmd = nil
}

func (f *fleet) startGateway(g *gateway) {
	f.Helper()
	p := g.desk.Program
	p.Dir = filepath.Join(p.Home, g.name)
	if err := os.MkdirAll(p.Dir, 0o700); err != nil {
		f.Fatal(err)
	}
	started, err := p.StartGateway(context.WithoutCancel(f.Context()), "--no-observe")
	if err != nil {
		f.Fatal(err)
	}
	g.set(started)
}

func (f *fleet) signal(pid int, s syscall.Signal) {
	f.Helper()
	if err := syscall.Kill(pid, s); err != nil {
		f.Fatalf("signal %s to %d: %v", s, pid, err)
	}
}

// clear ends the processes on the machine of a desk.
func (f *fleet) clear(d *machine) {
	for _, g := range f.gateways {
		if g.desk.name == d.name && g.now() != nil {
			_ = g.now().Signal(syscall.SIGCONT) // in case a failed test has stopped it
			_ = g.now().Stop()                  // a test may have killed it
		}
	}
	for _, p := range d.Started() {
		_ = syscall.Kill(p.PID, syscall.SIGKILL) // it may have ended already
	}
}

// hostHub returns the process id of a desk's hub for shared servers, or 0.
func (d *machine) hostHub() int {
	for _, p := range d.Started() {
		if len(p.Args) > 2 && p.Args[1] == "hub" && p.Args[2] == "--on-demand" {
			return p.PID
		}
	}
	return 0
}

// executions returns the calls that all servers have executed.
func (f *fleet) executions() (all []history.Execution) {
	f.Helper()
	files, err := filepath.Glob(filepath.Join(f.dir, "*.effects"))
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		server, place, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".effects"), "@")
		some, err := history.Executions(file, server, place)
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, some...)
	}
	return all
}

// lastOf returns the latest call that a server has executed.
func (f *fleet) lastOf(server string) (last history.Execution) {
	f.Helper()
	for _, e := range f.executions() {
		if e.Server == server && e.Begin > last.Begin {
			last = e
		}
	}
	return last
}

// terms returns the terms that the hubs have logged.
func (f *fleet) terms() (all []history.Term) {
	f.Helper()
	for _, h := range f.hubs {
		for line := range strings.Lines(f.log(h)) {
			var l struct {
				Time       time.Time
				Msg, Lease string
				Token      uint64
			}
			if json.Unmarshal([]byte(line), &l) == nil && l.Msg == "lease begins" { // a hub that ends may have printed other text
				all = append(all, history.Term{Server: l.Lease, Token: l.Token, Hub: h.name, Begin: l.Time.UnixNano()})
			}
		}
	}
	return all
}

// owner returns the hub that has executed the latest call of the server with one owner, and another hub.
func (f *fleet) owner() (owner, other *hub) {
	f.Helper()
	name := f.lastOf(owned).Hub
	i := slices.IndexFunc(f.hubs, func(h *hub) bool { return h.name == name })
	if i < 0 {
		f.Fatalf("no hub has carried out a call of %s", owned)
	}
	return f.hubs[i], f.hubs[(i+1)%len(f.hubs)]
}
