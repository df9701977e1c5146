package server_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/anthdm/hollywood/actor"
	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/internal/proc"
	"github.com/toolscript/toolscript/transport/upstream"
)

// process is a simulated process of a server. It is installed, then it computes, then it does
// nothing, and it connects in the end if connects is set.
type process struct {
	installs, computes, waits time.Duration
	connects                  bool
	looks                     time.Duration // how long a look at it takes
}

// fleetOf starts servers with simulated processes that share processors.
type fleetOf struct {
	work     mailbox.Group
	mu       sync.Mutex
	begin    time.Time
	running  map[string]int // processes that compute or install now, by their kind of work
	most     map[string]int
	dials    map[string][]time.Duration
	states   map[string][]string
	attempts map[string]int
}

// startFleet starts servers by name with a number of processors. next returns the process of an
// attempt.
func startFleet(t *testing.T, processors int, kind string, limit time.Duration, names []string, next func(name string, attempt int) process) *fleetOf {
	t.Helper()
	engine, err := actor.NewEngine(actor.NewEngineConfig())
	if err != nil {
		t.Fatal(err)
	}
	f := &fleetOf{
		begin: time.Now(), running: map[string]int{}, most: map[string]int{},
		dials: map[string][]time.Duration{}, states: map[string][]string{}, attempts: map[string]int{},
	}
	t.Cleanup(func() { <-f.work.Idle() }) // after the cleanups below
	work, starts := &f.work, server.NewStarts(processors)
	command := "some-server"
	if kind == "manager" {
		command = "npx"
	}
	for _, name := range names {
		config := upstream.Config{Type: upstream.Stdio, Command: command, Args: []string{name}, StartupTimeout: limit}
		if kind == upstream.HTTP {
			config = upstream.Config{Type: upstream.HTTP}
		}
		child := server.New(server.Options{
			Name: name, Config: config, ConnectTimeout: 30 * time.Second, Logger: slog.New(slog.DiscardHandler), Work: work, Starts: starts,
			Dial: func(ctx context.Context, name string, _ upstream.Config, on upstream.Events) (server.Conn, error) {
				f.mu.Lock()
				f.dials[name] = append(f.dials[name], time.Since(f.begin))
				f.attempts[name]++
				p := next(name, f.attempts[name])
				f.mu.Unlock()
				return f.run(ctx, p, on)
			},
		})
		pid := engine.SpawnFunc(func(c *actor.Context) {
			switch m := c.Message().(type) {
			case actor.Started:
				c.SpawnChild(func() actor.Receiver { return child }, "child", mailbox.NewLife().Options(name)...)
			case catalog.ServerChanged:
				f.mu.Lock()
				f.states[name] = append(f.states[name], string(m.Status.State))
				f.mu.Unlock()
			}
		}, name, mailbox.NewLife().Options("0")...)
		t.Cleanup(func() { <-engine.Poison(pid).Done() })
	}
	return f
}

// run is one simulated process.
func (f *fleetOf) run(ctx context.Context, p process, on upstream.Events) (server.Conn, error) {
	began := time.Now()
	look := func() proc.Activity {
		spent := time.Since(began)
		time.Sleep(p.looks)
		return proc.Activity{Installing: p.installs > 0 && spent <= p.installs, Seen: true, Processes: 1, CPU: min(spent, p.installs+p.computes)}
	}
	if on.Starting != nil { // the server has a process
		on.Starting(look)
	}
	for _, phase := range []struct {
		name string
		time time.Duration
	}{{"installs", p.installs}, {"computes", p.computes}, {"waits", p.waits}} {
		f.count(phase.name, 1)
		over := time.NewTimer(phase.time)
		select {
		case <-over.C:
			f.count(phase.name, -1)
		case <-ctx.Done():
			over.Stop()
			f.count(phase.name, -1)
			return nil, &toolscript.Error{Kind: toolscript.Cancelled, Err: errors.New("no answer")}
		}
	}
	if !p.connects {
		return nil, &toolscript.Error{Kind: toolscript.Unavailable, Err: errors.New("exit status 1")}
	}
	return newConn(), nil
}

func (f *fleetOf) count(what string, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.running[what] += n
	f.most[what] = max(f.most[what], f.running[what])
}

func (f *fleetOf) statesOf(name string) []string {
	synctest.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Compact(slices.Clone(f.states[name]))
}

func many(n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf("s%02d", i))
	}
	return names
}

// TestManySlowStarts: twelve servers that each compute for eight seconds on two processors all
// connect at the first attempt, although the last one begins after the limit of the first.
func TestManySlowStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		names := many(12)
		f := startFleet(t, 2, "", 10*time.Second, names, func(string, int) process { return process{computes: 8 * time.Second, connects: true} })
		time.Sleep(49 * time.Second)
		for _, name := range names {
			if diff := cmp.Diff([]string{"connecting", "starting", "ready"}, f.statesOf(name)); diff != "" {
				t.Errorf("states of %s (-want +got):\n%s", name, diff)
			}
		}
		if f.most["computes"] != 2 {
			t.Errorf("%d servers computed at once, want 2", f.most["computes"])
		}
	})
}

// TestEndedStartsFreeTheirPlace: a look at a process that has ended does not take its place
// again, although it returns after the end.
func TestEndedStartsFreeTheirPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := startFleet(t, 2, "", 10*time.Second, many(1), func(_ string, attempt int) process {
			return process{computes: time.Millisecond, looks: 100 * time.Millisecond, connects: attempt == 5}
		})
		time.Sleep(time.Minute)
		if states := f.statesOf("s00"); states[len(states)-1] != "ready" {
			t.Errorf("states %v, want ready at the end", states)
		}
	})
}

// TestWaitingStartsFreeTheirPlace: a server that does nothing delays the others for three
// seconds, and a server without a process for none.
func TestWaitingStartsFreeTheirPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := startFleet(t, 2, "", time.Minute, many(4), func(string, int) process { return process{waits: time.Hour} })
		web := startFleet(t, 2, upstream.HTTP, 0, many(1), func(string, int) process { return process{connects: true} })
		time.Sleep(20 * time.Second)
		synctest.Wait()
		at := map[time.Duration]int{}
		for _, dials := range f.dials {
			at[dials[0]]++
		}
		if at[0] != 2 || at[3*time.Second] != 2 || len(web.dials["s00"]) != 1 || web.dials["s00"][0] != 0 {
			t.Errorf("dials = %v, want two at once and two after 3 s; %v", f.dials, web.dials)
		}
	})
}

// TestInstallations: package managers run two at a time, their time does not count, and other
// servers start meanwhile.
func TestInstallations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		names := many(5)
		f := startFleet(t, 2, "manager", 5*time.Second, names, func(string, int) process {
			return process{installs: 2 * time.Minute, computes: time.Second, connects: true}
		})
		time.Sleep(7 * time.Minute)
		for _, name := range names {
			want := []string{"connecting", "starting", "installing", "starting", "ready"}
			got := f.statesOf(name)
			if slices.Contains(got, "backoff") || !slices.Equal(slices.DeleteFunc(want, func(s string) bool { return s == "starting" }),
				slices.DeleteFunc(slices.Clone(got), func(s string) bool { return s == "starting" })) {
				t.Errorf("states of %s = %v", name, got)
			}
			if got[len(got)-2] != "starting" {
				t.Errorf("states of %s = %v, want starting before ready", name, got)
			}
		}
		if f.most["installs"] != 2 {
			t.Errorf("%d installations at once, want 2", f.most["installs"])
		}
	})
}

// TestOnlyWhatDoesNothingEnds: a server that computes may take longer than its limit, but not
// ten minutes longer; one that does nothing is ended, and tried again alone.
func TestOnlyWhatDoesNothingEnds(t *testing.T) {
	for _, tt := range []struct {
		name  string
		first process
		ended time.Duration // when the first attempt ends; 0: it connects
		text  string
	}{
		{"computes", process{computes: 5 * time.Minute, connects: true}, 0, ""},
		{"computes for ever", process{computes: time.Hour}, 10 * time.Minute, "not connected within 10m0s: "},
		{"does nothing", process{waits: time.Hour}, 30 * time.Second, "not connected within 30s, and it did nothing for 10s: "},
		{"computes, then does nothing", process{computes: 25 * time.Second, waits: time.Hour}, 35 * time.Second, "did nothing for 10s"},
		{"waits within its limit", process{waits: 29 * time.Second, connects: true}, 0, ""},
		{"an installation without an end", process{installs: time.Hour}, 10 * time.Minute, "not connected within 10m0s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := start(t, options{config: upstream.Config{Type: upstream.Stdio, Command: "x", StartupTimeout: 30 * time.Second}, watched: &tt.first})
				if tt.ended == 0 {
					time.Sleep(11 * time.Minute)
					if r.state() != toolscript.Ready || len(r.dialTimes()) != 1 {
						t.Errorf("state %s after %d dials, want ready after one", r.state(), len(r.dialTimes()))
					}
					return
				}
				time.Sleep(tt.ended - time.Second)
				if state := r.state(); !state.Connects() {
					t.Errorf("state %s before the end, want a start: %s", state, r.status().Error)
				}
				time.Sleep(time.Second + 400*time.Millisecond) // up to the next look, before the next dial is over
				if status := r.status(); !strings.Contains(status.Error, tt.text) {
					t.Errorf("state %s, error %q, want %q", status.State, status.Error, tt.text)
				}
			})
		})
	}
}

// TestAloneAfterAStart: after a start that did nothing, the next attempt begins only when no other start computes.
func TestAloneAfterAStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next := func(name string, attempt int) process {
			if name == "stuck" && attempt == 1 {
				return process{waits: time.Hour}
			}
			if name == "stuck" {
				return process{computes: 5 * time.Second, connects: true}
			}
			return process{computes: 40 * time.Second, connects: true}
		}
		f := startFleet(t, 2, "", 20*time.Second, []string{"stuck", "s1", "s2"}, next)
		time.Sleep(200 * time.Second)
		states := f.statesOf("stuck")
		if states[len(states)-1] != "ready" || len(f.dials["stuck"]) != 2 {
			t.Fatalf("states %v after dials at %v, want ready after two", states, f.dials["stuck"])
		}
		last := max(f.dials["s1"][0], f.dials["s2"][0]) + 40*time.Second
		if second := f.dials["stuck"][1]; second < last {
			t.Errorf("the second attempt began at %s, before the others ended at %s", second, last)
		}
	})
}

// TestCallsDuringAStart: the wait of a call ends with the state and the seconds, and the start
// goes on.
func TestCallsDuringAStart(t *testing.T) {
	for _, tt := range []struct {
		of   process
		text string
	}{
		{process{installs: 5 * time.Minute, connects: true}, "still being installed (40 s), which goes on"},
		{process{computes: 5 * time.Minute, connects: true}, "still starting (40 s), which goes on"},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := start(t, options{config: upstream.Config{Type: upstream.Stdio, Command: "x", StartupTimeout: 30 * time.Second}, watched: &tt.of})
			time.Sleep(20 * time.Second)
			got := <-r.waitingCall(t.Context(), 20*time.Second)
			if got.err == nil || !strings.Contains(got.err.Error(), tt.text) || got.took != 20*time.Second {
				t.Errorf("%v after %s, want %q", got.err, got.took, tt.text)
			}
			time.Sleep(5 * time.Minute)
			if r.state() != toolscript.Ready || len(r.dialTimes()) != 1 {
				t.Errorf("state %s after %d dials", r.state(), len(r.dialTimes()))
			}
		})
	}
}
