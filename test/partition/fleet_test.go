//go:build linux

package partition

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolscript/toolscript/test/harness"
	"github.com/toolscript/toolscript/test/partition/history"
)

const (
	nodes    = 3
	hubs     = 3
	gateways = 6
)

// bound is far longer than any step takes.
const bound = 90 * time.Second

func logOf(dir, hub string) string { return filepath.Join(dir, hub+".log") }

func countsOf(dir, server, hub string) string {
	return filepath.Join(dir, server+"@"+hub+".counts")
}

func callsOf(dir, gateway string) string { return filepath.Join(dir, gateway+".calls") }

// process is a process of the fleet with its role.
type process struct {
	role  role
	cmd   *exec.Cmd
	stdin io.WriteCloser
	links []*link // links to the nodes
}

// fleet is a cluster of NATS servers with its hubs and gateways.
type fleet struct {
	t        *testing.T
	dir      string
	nodes    []*process
	routes   map[[2]int]*link // between two nodes, of which the first one connects
	hubs     []*process
	gateways []*process
}

// start starts a process in a role and waits until it is ready.
func (f *fleet) start(r role) *process {
	f.t.Helper()
	self, err := os.Executable()
	if err != nil {
		f.t.Fatal(err)
	}
	text, _ := json.Marshal(r) // this struct always has a JSON form
	p := &process{role: r, cmd: exec.Command(self)}
	p.cmd.Env = append(os.Environ(), roleVariable+"="+string(text))
	p.cmd.Stderr, p.cmd.SysProcAttr = os.Stderr, attributes()
	p.stdin, err = p.cmd.StdinPipe()
	if err != nil {
		f.t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		f.t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() {
		_ = p.cmd.Process.Kill() // it may have ended already
		_ = p.cmd.Wait()         // killed, or finish has waited already
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		f.t.Fatalf("%s did not start: %v", r.Name, err)
	}
	return p
}

// finish makes processes end and waits for their end.
func (f *fleet) finish(all []*process) {
	f.t.Helper()
	for _, p := range all {
		_ = p.stdin.Close() // it may have ended already
	}
	for _, p := range all {
		if err := p.cmd.Wait(); err != nil {
			f.t.Errorf("%s: %v", p.role.Name, err)
		}
	}
}

// signal sends a signal to a process.
func (f *fleet) signal(p *process, s syscall.Signal) {
	f.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		f.t.Fatal(err)
	}
}

// newFleet starts the cluster, the hubs and the gateways, and waits until each gateway has an answer of
// each server.
func newFleet(t *testing.T) *fleet {
	t.Helper()
	f := &fleet{t: t, dir: t.TempDir(), routes: map[[2]int]*link{}}
	ports := freePorts(t, 2*nodes)
	at := func(port int) string { return loopback + ":" + strconv.Itoa(port) }
	nodeRoles := make([]role, 0, nodes)
	for i := range nodes {
		r := role{Kind: "node", Name: fmt.Sprint("node", i), Port: ports[2*i], Routes: ports[2*i+1], Dir: filepath.Join(f.dir, fmt.Sprint("store", i))}
		for j := range nodes {
			if j == i {
				continue
			}
			l := newLink(t, fmt.Sprintf("node%d-node%d", i, j), at(ports[2*j+1]))
			f.routes[[2]int{i, j}] = l
			r.To = append(r.To, "nats://"+at(l.port))
		}
		nodeRoles = append(nodeRoles, r)
	}
	for _, r := range nodeRoles {
		f.nodes = append(f.nodes, f.start(r))
	}
	client := func(kind, name string) *process {
		var links []*link
		var urls []string
		for i := range nodes {
			l := newLink(t, fmt.Sprintf("%s-node%d", name, i), at(ports[2*i]))
			links, urls = append(links, l), append(urls, "nats://"+at(l.port))
		}
		p := f.start(role{Kind: kind, Name: name, URL: strings.Join(urls, ","), Dir: f.dir})
		p.links = links
		return p
	}
	for i := range hubs {
		f.hubs = append(f.hubs, client("hub", fmt.Sprint("hub", i)))
	}
	for i := range gateways {
		f.gateways = append(f.gateways, client("gateway", fmt.Sprint("gateway", i)))
	}
	f.awaitAnswers(time.Now())
	return f
}

func freePorts(t *testing.T, n int) []int {
	t.Helper()
	ports, err := harness.FreePorts(n)
	if err != nil {
		t.Fatal(err)
	}
	return ports
}

// awaitAnswers waits until each gateway has an answer of each server to a call that began after since,
// and returns how long that took.
func (f *fleet) awaitAnswers(since time.Time) time.Duration {
	f.t.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		last, missing := f.firstAnswers(since.UnixNano())
		if len(missing) == 0 {
			return time.Unix(0, last).Sub(since)
		}
		if time.Since(since) > bound {
			f.t.Fatalf("no answer for %s within %s", strings.Join(missing, ", "), bound)
		}
		<-tick.C
	}
}

// firstAnswers returns when the last gateway got its first answers to calls that began after since.
func (f *fleet) firstAnswers(since int64) (last int64, missing []string) {
	for _, g := range f.gateways {
		first := map[string]int64{}
		for _, c := range f.calls(g) {
			if c.Outcome == history.Answered && c.Begin >= since && first[c.Server] == 0 {
				first[c.Server] = c.End
			}
		}
		for _, server := range []string{owned, spread} {
			if first[server] == 0 {
				missing = append(missing, g.role.Name+" of "+server)
			}
			last = max(last, first[server])
		}
	}
	return last, missing
}

// lines returns the complete lines of a file. A missing file counts as empty.
func (f *fleet) lines(path string) []string {
	f.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		f.t.Fatal(err)
	}
	all := strings.Split(string(text), "\n")
	return all[:len(all)-1]
}

func (f *fleet) calls(gateway *process) (all []history.Call) {
	f.t.Helper()
	for _, line := range f.lines(callsOf(f.dir, gateway.role.Name)) {
		var c history.Call
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			f.t.Fatalf("call %q: %v", line, err)
		}
		all = append(all, c)
	}
	return all
}

// terms returns the terms that a hub has logged.
func (f *fleet) terms(hub *process) (all []history.Term) {
	f.t.Helper()
	for _, line := range f.lines(logOf(f.dir, hub.role.Name)) {
		var l struct {
			Time         time.Time
			Msg          string
			Lease, Owner string
			Token        uint64
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			f.t.Fatalf("log %q: %v", line, err)
		}
		if l.Msg == "lease begins" {
			all = append(all, history.Term{Server: l.Lease, Token: l.Token, Hub: l.Owner, Begin: l.Time.UnixNano()})
		}
	}
	return all
}

func (f *fleet) executions(server string, hub *process) []history.Execution {
	f.t.Helper()
	all, err := history.Executions(countsOf(f.dir, server, hub.role.Name), server, hub.role.Name)
	if err != nil {
		f.t.Fatal(err)
	}
	return all
}

// history returns everything that was recorded. All processes must have ended.
func (f *fleet) history() (h history.History) {
	f.t.Helper()
	for _, g := range f.gateways {
		h.Calls = append(h.Calls, f.calls(g)...)
	}
	for _, p := range f.hubs {
		h.Terms = append(h.Terms, f.terms(p)...)
		h.Executions = append(append(h.Executions, f.executions(owned, p)...), f.executions(spread, p)...)
	}
	return h
}

// owner returns the hub with the newest term of the server with one owner.
func (f *fleet) owner() *process {
	f.t.Helper()
	var newest uint64
	owner := f.hubs[0]
	for _, p := range f.hubs {
		for _, t := range f.terms(p) {
			if t.Token > newest {
				newest, owner = t.Token, p
			}
		}
	}
	return owner
}
