// Package faults_test runs gateways under load while their processes are killed, and checks the
// outcome of each call.
package faults_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/toolscript/toolscript/cmd/cli"
	"github.com/toolscript/toolscript/test/fixture/mcpserver"
	"github.com/toolscript/toolscript/test/fleet/history"
	"github.com/toolscript/toolscript/test/harness"
)

var (
	duration = flag.Duration("faults-for", 20*time.Second, "how long processes are killed")
	gateways = flag.Int("gateways", 5, "how many gateways run")
	runs     = flag.Int("runs", 8, "how many scripts run at once")
	seed     = flag.Uint64("seed", 0, "of the order of kills; 0 for another each time")
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

// spared is the number of gateways that are never killed, because their memory is measured.
const spared = 2

const (
	maxGrowth      = 32 // MB of private memory of a spared gateway: garbage that is not collected yet
	maxDescriptors = 8  // more than before: connections that were just closed
	perChild       = 4  // descriptors that a gateway has for a worker or a server: a pidfd, and pipes or sockets
)

// TestFaults kills servers, hubs, gateways, sandboxes and checkers at random while scripts make calls.
// No call is lost, hangs or is executed twice; errors say whether the call may have been executed;
// at the end nothing is left behind, and gateways have not grown.
func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a minute")
	}
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	t.Logf("go test ./test/faults -run TestFaults -seed %d -faults-for %s -gateways %d -runs %d", *seed, *duration, *gateways, *runs)
	w := newWorld(t)
	w.load(*duration / 5) // until pools and caches are full
	before := w.measure()
	w.load(*duration)
	after := w.measure()
	w.stop()

	h := history.History{Calls: w.calls}
	for _, server := range servers {
		all, err := history.Executions(w.counts(server), server, "")
		if err != nil {
			t.Fatal(err)
		}
		h.Executions = append(h.Executions, all...)
	}
	f := h.Figures(nil)
	w.print(f, before, after)
	if f.Violations() > 0 {
		t.Errorf("%d problems, such as\n%s", f.Violations(), strings.Join(f.Problems, "\n"))
	}
	if doubled, _ := filepath.Glob(filepath.Join(w.Home, "*.doubled")); len(doubled) > 0 { // the pattern is valid
		t.Errorf("two processes of a shared server ran at once: %v", doubled)
	}
	if n := w.cutBySandbox; n > w.kills["sandbox"].Load() {
		t.Errorf("%d scripts ended with their sandbox, of which %d were killed", n, w.kills["sandbox"].Load())
	}
	for i := range before {
		if after[i].memory > before[i].memory+growth() || after[i].descriptors > before[i].descriptors+maxDescriptors {
			t.Errorf("a gateway that was not killed has grown: %+v, then %+v", before[i], after[i])
		}
	}
	for _, what := range targets {
		if w.kills[what].Load() == 0 {
			t.Errorf("no %s was killed", what)
		}
	}
	if f.Answered == 0 {
		t.Error("no call was answered")
	}
}

// world is a user with many gateways.
type world struct {
	*testing.T
	harness.Program
	slots []*slot
	order *rand.Rand // random order of the kills
	kills kills
	began time.Time

	mu           sync.Mutex
	calls        []history.Call
	kinds        map[string]int // errors by kind
	cutBySandbox int64
	failures     map[string]int // runs that have not begun, by their error
	batch        atomic.Int64   // number of the last run
	ended        atomic.Int64   // runs that have succeeded
	cutByGateway atomic.Int64
}

// slot holds the current gateway of one place.
type slot struct{ now atomic.Pointer[gateway] }

// gateway is one process of a slot.
type gateway struct {
	*harness.Gateway
	killed atomic.Bool
}

func newWorld(t *testing.T) *world {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	for _, folder := range []string{"run", "temp"} {
		if err := os.Mkdir(filepath.Join(home, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	program, err := harness.Quick(self, home, "TMPDIR="+filepath.Join(home, "temp"))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		T: t, Program: program,
		order: rand.New(rand.NewPCG(*seed, 0)), kills: newKills(), began: time.Now(),
		failures: map[string]int{}, kinds: map[string]int{},
	}
	server := func(name, alone, more string) string {
		return fmt.Sprintf(`%q: {"command": %q, "args": [%q, %q, "counts=%s", "stamps"%s]%s}`, name, w.Bin, asServer, "name="+name, w.counts(name), alone, more)
	}
	alone := func(name string) string { return fmt.Sprintf(`, "alone=%s"`, filepath.Join(home, name+".lock")) }
	const shared = `, "shared": true`
	config := fmt.Sprintf(`{"mcpServers": {%s, %s, %s}}`, server("own", "", ""), server("common", alone("common"), shared), server("other", alone("other"), shared))
	if _, err := w.Config(".toolscript.json", config); err != nil {
		t.Fatal(err)
	}
	for range *gateways {
		w.slots = append(w.slots, new(slot))
	}
	t.Cleanup(w.clear)
	var starting sync.WaitGroup
	for _, s := range w.slots {
		starting.Go(func() { w.start(s) })
	}
	starting.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return w
}

// servers are the names of the servers: each gateway has one of its own, and all share the others.
var servers = []string{"own", "common", "other"}

// counts returns the path of the file to which a server writes the calls that it carries out.
func (w *world) counts(server string) string { return filepath.Join(w.Home, server+".counts") }

// start starts a gateway in a slot.
func (w *world) start(s *slot) {
	g, err := w.StartGateway(context.WithoutCancel(w.Context()), "--no-observe")
	if err != nil {
		w.Error(err)
		return
	}
	s.now.Store(&gateway{Gateway: g})
}

// load runs scripts and kills processes for a time. It returns when all scripts have ended and all
// gateways have their servers.
func (w *world) load(d time.Duration) {
	w.Helper()
	ctx, enough := context.WithTimeout(w.Context(), d)
	defer enough()
	var busy sync.WaitGroup
	for range *runs {
		busy.Go(func() {
			for ctx.Err() == nil {
				w.run()
			}
		})
	}
	w.killUntil(ctx)
	busy.Wait()
	for _, s := range w.slots {
		if err := s.now.Load().Ready(w.Context()); err != nil {
			w.Errorf("a gateway has not all of its servers again: %v", err)
		}
	}
}

// growth returns maxGrowth, or four times that under the race detector, whose memory grows with the
// number of goroutines that ever existed.
func growth() float64 {
	const race = 4
	info, _ := debug.ReadBuildInfo() // always available in a test
	if slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		return race * maxGrowth
	}
	return maxGrowth
}

// size holds the resources that a gateway uses.
type size struct {
	memory      float64 // private dirty memory in MB
	descriptors int     // without those for its children
	children    int
}

func (w *world) measure() (sizes []size) {
	w.Helper()
	http.DefaultClient.CloseIdleConnections()
	for _, s := range w.slots[:spared] {
		pid := s.now.Load().PID()
		dirty, _, err := harness.Private(pid)
		if err != nil {
			w.Fatal(err)
		}
		open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
		if err != nil {
			w.Fatal(err)
		}
		children := 0
		for _, p := range harness.Descendants(pid) {
			if p.Parent == pid {
				children++
			}
		}
		sizes = append(sizes, size{dirty, len(open) - children*perChild, children})
	}
	return sizes
}

// stop stops the gateways and the hub, and checks that nothing is left behind.
func (w *world) stop() {
	w.Helper()
	var stopping sync.WaitGroup
	for _, s := range w.slots {
		stopping.Go(func() {
			if err := s.now.Load().Stop(); err != nil {
				w.Errorf("a gateway ended with %v", err)
			}
		})
	}
	stopping.Wait()
	for _, args := range [][]string{{"hub", "stop"}, {"gateway", "prune"}} {
		if out, err := w.Command(w.Context(), args...).CombinedOutput(); err != nil {
			w.Errorf("%q: %v, %s", args, err, out)
		}
	}
	if err := harness.Until(w.Context(), func() (bool, error) { return len(w.Started()) == 0, nil }); err != nil {
		w.Errorf("processes left: %+v", w.Started())
	}
	if left := w.left(); len(left) > 0 {
		w.Errorf("left: %q", left)
	}
	for _, log := range []string{"*.log", ".toolscript/*.log", ".toolscript/*/*.log"} {
		files, _ := filepath.Glob(filepath.Join(w.Home, log)) // the pattern is valid
		for _, file := range files {
			text, _ := os.ReadFile(file) // a missing file counts as empty
			if at := crashed.FindIndex(text); at != nil {
				w.Errorf("%s has a crash: %s", file, text[at[0]:min(len(text), at[0]+4000)])
			}
		}
	}
}

// crashed matches what Go prints when it crashes.
var crashed = regexp.MustCompile(`(?m)^(panic|fatal error): |^goroutine \d+ \[|DATA RACE|panicked`)

// unfinished matches the names of files that were written but not renamed.
var unfinished = regexp.MustCompile(`^\..*-[0-9]+$|\.tmp$`)

// left returns sockets, files that should not exist, and locks that are held.
func (w *world) left() (left []string) {
	w.Helper()
	left = append(left, w.Sockets()...)
	files, err := harness.Files(w.Home)
	if err != nil {
		w.Fatal(err)
	}
	for _, file := range files {
		if strings.HasPrefix(file, "run/") || strings.HasPrefix(file, "temp/") || unfinished.MatchString(filepath.Base(file)) {
			left = append(left, file)
		}
		if strings.HasSuffix(file, ".lock") && locked(filepath.Join(w.Home, file)) {
			left = append(left, "the lock of "+file)
		}
	}
	return left
}

func locked(path string) bool {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return true
	}
	defer f.Close() //nolint:errcheck // nothing was written
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil
}

// clear ends what a failed test has left behind.
func (w *world) clear() {
	for _, s := range w.slots {
		if g := s.now.Load(); g != nil && g.Running() {
			_ = g.Stop() // the test has failed already
		}
	}
	_ = w.Command(context.WithoutCancel(w.Context()), "hub", "stop").Run() // only if a hub runs
	if w.Failed() {
		log, _ := os.ReadFile(filepath.Join(w.Home, "gateway.log")) // only if there is one
		w.Logf("the end of the gateways' log:\n%s", log[max(0, len(log)-4000):])
	}
}

func (w *world) print(f history.Figures, before, after []size) {
	var text strings.Builder
	row := func(what, format string, args ...any) {
		fmt.Fprintf(&text, "| %s | %s |\n", what, fmt.Sprintf(format, args...))
	}
	row("time, with start and end", "%.0f s", time.Since(w.began).Seconds())
	row("gateways, scripts at once", "%d, %d", *gateways, *runs)
	row("killed: "+strings.Join(targets, ", "), "%s", w.kills)
	row("scripts: ended well, cut off with their gateway, with their sandbox", "%d, %d, %d", w.ended.Load(), w.cutByGateway.Load(), w.cutBySandbox)
	row("calls", "%d", f.Calls)
	row("answered", "%d", f.Answered)
	row("clear errors: not carried out, not known, cut off", "%d, %d, %d", f.NotSent, f.Unknown, f.Other)
	row("unclear errors", "%d", f.Silent)
	row("errors by kind", "%v", w.kinds)
	row("answered without an effect", "%d", f.Invented)
	row("lost", "%d", f.Lost+f.Unclaimed)
	row("doubled", "%d", f.Doubled)
	row("carried out without saying so, or after the error", "%d, %d", f.Denied, f.Late)
	row("processes, sockets, files and locks left", "%d, %d", len(w.Started()), len(w.left()))
	for i := range before {
		row(fmt.Sprintf("gateway %d, never killed: private memory, workers and servers, other descriptors", i+1), "%.0f → %.0f MB, %d → %d, %d → %d",
			before[i].memory, after[i].memory, before[i].children, after[i].children, before[i].descriptors, after[i].descriptors)
	}
	w.Logf("\n%s", &text)
	for _, reason := range slices.Sorted(maps.Keys(w.failures)) {
		w.Logf("%d scripts failed: %s", w.failures[reason], reason)
	}
}
