//go:build linux

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/toolscript/toolscript/internal/proc"
	"github.com/toolscript/toolscript/test/harness"
)

// setting says what is measured.
type setting struct {
	gateways, servers int
	bin, self, peers  string // absolute paths of the program, this program and the folder of the npm servers
	base              string // folder for the home folders
}

// npmServers are the measured servers, by program name and arguments. They need no network and no login.
var npmServers = []struct {
	name string
	args []string
}{
	{"mcp-server-memory", nil},
	{"mcp-server-everything", []string{"stdio"}},
	{"mcp-server-filesystem", []string{"."}},
	{"mcp-server-sequential-thinking", nil},
	{"mcp-server-github", nil},
}

// fixture is the name prefix of the servers that this program runs if there is no npm server for them.
const fixture = "fixture"

// names returns the names of each gateway's servers.
func (s setting) names() (names []string) {
	for i := range s.servers {
		name := fmt.Sprintf("%s-%d", fixture, i)
		if i < len(npmServers) {
			if _, err := os.Stat(filepath.Join(s.peers, npmServers[i].name)); err == nil {
				name = npmServers[i].name
			}
		}
		names = append(names, name)
	}
	return names
}

// configuration returns the configuration file of all gateways.
func (s setting) configuration(shared bool) ([]byte, error) {
	type server struct {
		Command string            `json:"command"`
		Args    []string          `json:"args,omitempty"`
		Env     map[string]string `json:"env"`
		Shared  bool              `json:"shared,omitempty"`
	}
	servers := map[string]server{}
	for i, name := range s.names() {
		env := map[string]string{"NAME": name} // otherwise servers with the same definition would be one server
		if i < len(npmServers) && name == npmServers[i].name {
			servers[name] = server{filepath.Join(s.peers, name), npmServers[i].args, env, shared}
		} else {
			servers[name] = server{s.self, []string{asServer}, env, shared}
		}
	}
	return json.Marshal(map[string]any{"mcpServers": servers})
}

// Kinds of processes. The last two are sums of others.
const (
	kindGateways = "gateways"
	kindWorkers  = "their script workers"
	kindReapers  = "reapers"
	kindHub      = "hub"
	kindServers  = "servers"
	kindServing  = "servers, hub and reapers"
	kindAll      = "all"
)

var kinds = []string{kindGateways, kindWorkers, kindReapers, kindHub, kindServers}

type goal struct{ processes, private int } // maximum use, as a fraction of that of own servers

// goals are the goals for everything that runs servers. The gateways themselves do not count.
var goals = map[string]goal{kindServing: {10, 8}}

// usage holds what the processes of one kind use; private is in MB.
type usage struct {
	processes int
	private   float64
}

type measurement struct {
	ready time.Duration // from the first start until the last gateway is ready
	used  map[string]usage
}

// workerIdle is the time after which idle gateways end their script workers.
const workerIdle = time.Second

// settle is the time in which a gateway then returns memory.
const settle = 5 * time.Second

// bound is the time limit of one measurement.
const bound = 10 * time.Minute

// measure starts the gateways at the same time in a new home folder, measures them and ends them.
func (s setting) measure(ctx context.Context, shared bool) (m measurement, err error) {
	ctx, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	p, err := s.home(shared)
	if err != nil {
		return m, err
	}
	gateways := make([]*harness.Gateway, s.gateways)
	defer func() { err = errors.Join(err, stop(ctx, p, gateways)) }()
	begin := time.Now()
	err = each(gateways, func(i int) (err error) {
		if gateways[i], err = p.StartGateway(ctx, "--no-observe", "--worker-idle", workerIdle.String()); err != nil {
			return err
		}
		return ready(ctx, gateways[i])
	})
	m.ready = time.Since(begin)
	if err != nil {
		return m, err
	}
	if err := s.quiet(ctx, p); err != nil {
		return m, err
	}
	m.used = use(p, gateways)
	want := s.servers
	if !shared {
		want *= s.gateways
	}
	if n := m.used[kindServers].processes; n != want {
		err = fmt.Errorf("%d servers run, want %d", n, want)
	}
	return m, err
}

// home creates a home folder with the configuration.
func (s setting) home(shared bool) (harness.Program, error) {
	p := harness.Program{Bin: s.bin, Home: filepath.Join(s.base, fmt.Sprintf("shared-%t", shared))}
	p.Env = []string{"PATH=" + s.peers + ":" + os.Getenv("PATH"), "MEMORY_FILE_PATH=" + filepath.Join(p.Home, "memory.jsonl")}
	config, err := s.configuration(shared)
	if err != nil {
		return p, err
	}
	if err := os.MkdirAll(filepath.Join(p.Home, "run"), 0o700); err != nil {
		return p, err
	}
	_, err = p.Config(".toolscript.json", string(config))
	return p, err
}

// ready waits until all servers of a gateway are connected, however busy the machine is.
func ready(ctx context.Context, g *harness.Gateway) error {
	return poll(ctx, func() (bool, error) {
		status, err := g.Get(ctx, "/ready", nil)
		return status == http.StatusOK, err
	})
}

// quiet waits until the script workers have ended and the gateways have returned their memory.
func (s setting) quiet(ctx context.Context, p harness.Program) error {
	isWorker := func(q harness.Process) bool { return q.Worker() != "" }
	err := poll(ctx, func() (bool, error) { return !slices.ContainsFunc(p.Started(), isWorker), nil })
	select {
	case <-time.After(settle):
	case <-ctx.Done():
	}
	return cmp.Or(err, ctx.Err())
}

func poll(ctx context.Context, done func() (bool, error)) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		if yes, err := done(); yes || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// use returns the number of running processes and their memory, by kind.
func use(p harness.Program, gateways []*harness.Gateway) map[string]usage {
	used := map[string]usage{}
	for _, q := range p.Started() {
		kind := kindServers
		switch {
		case slices.ContainsFunc(gateways, func(g *harness.Gateway) bool { return g.PID() == q.PID }):
			kind = kindGateways
		case q.Worker() != "":
			kind = kindWorkers
		case q.Args[0] == proc.ProcessName:
			kind = kindReapers
		case len(q.Args) > 1 && q.Args[0] == p.Bin && q.Args[1] == "hub":
			kind = kindHub
		}
		dirty, clean, err := harness.Private(q.PID)
		if err != nil {
			continue // the process has ended
		}
		for _, k := range sums(kind) {
			used[k] = usage{used[k].processes + 1, used[k].private + dirty + clean}
		}
	}
	return used
}

// sums returns the rows of the table in which a process counts.
func sums(kind string) []string {
	if kind == kindGateways || kind == kindWorkers {
		return []string{kind, kindAll}
	}
	return []string{kind, kindServing, kindAll}
}

// stop ends the gateways that were started, and the hub.
func stop(ctx context.Context, p harness.Program, gateways []*harness.Gateway) error {
	ctx = context.WithoutCancel(ctx)
	err := each(gateways, func(i int) error {
		if gateways[i] == nil {
			return nil
		}
		return gateways[i].Stop()
	})
	_ = p.Command(ctx, "hub", "stop").Run() // an error means that there is no hub
	return errors.Join(err, harness.Until(ctx, func() (bool, error) { return len(p.Started()) == 0, nil }))
}

// each calls a function for all gateways concurrently.
func each(gateways []*harness.Gateway, do func(i int) error) error {
	errs := make([]error, len(gateways))
	var all sync.WaitGroup
	for i := range gateways {
		all.Go(func() { errs[i] = do(i) })
	}
	all.Wait()
	return errors.Join(errs...)
}
