package actors_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/workers"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/transport/upstream"
)

// fakeChecker is a checker process without findings.
type fakeChecker struct {
	uses    runner.Uses // the result for every script
	compile func()
	check   func(runner.TypeCheck)
	life    int // answers until the checker is worn; 0 means no limit

	answered int
	dead     chan struct{}
	once     sync.Once
}

func (f *fakeChecker) Done() <-chan struct{}                 { return f.dead }
func (f *fakeChecker) Kill()                                 { f.once.Do(func() { close(f.dead) }) }
func (f *fakeChecker) Confinement() []toolscript.Confinement { return nil }
func (f *fakeChecker) Worn() bool                            { return f.life > 0 && f.answered >= f.life }
func (f *fakeChecker) Compile(context.Context, runner.Source) (runner.Compiled, []toolscript.Diagnostic, error) {
	f.answered++
	if f.compile != nil {
		f.compile()
	}
	return runner.Compiled{JavaScript: "1", Uses: f.uses}, nil, nil
}

func (f *fakeChecker) Check(_ context.Context, t runner.TypeCheck) ([]toolscript.Diagnostic, error) {
	f.answered++
	if f.check != nil {
		f.check(t)
	}
	return nil, nil
}

// startChecking starts a System with checkers from f. It has no sandboxes, so scripts
// can only be checked.
func startChecking(t *testing.T, d dialer, f fakeCheckerOf, servers ...string) *actors.System {
	t.Helper()
	o := actors.Options{Servers: configs(servers...), Dial: d.dial}
	o.Scripts.StartChecker = func(context.Context) (workers.Worker, error) { return f(), nil }
	o.Scripts.StartSandbox = func(context.Context) (workers.Worker, error) { return nil, errors.New("there are none") }
	return startWith(t, o)
}

type fakeCheckerOf func() *fakeChecker

func configs(servers ...string) map[string]upstream.Config {
	all := map[string]upstream.Config{}
	for _, name := range servers {
		all[name] = upstream.Config{Type: upstream.Stdio}
	}
	return all
}

// checkOnly checks a script and expects no errors.
func checkOnly(t *testing.T, s *actors.System, code string) {
	t.Helper()
	var end *toolscript.End
	err := s.Exec(t.Context(), toolscript.ExecRequest{Code: code, CheckOnly: true}, func(e toolscript.Event) error {
		if e.Type == toolscript.EventEnd {
			end = e.End
		}
		return nil
	})
	if err != nil || end == nil || !end.OK {
		t.Errorf("check of %q ended with %+v, %v", code, end, err)
	}
}

// TestWornCheckersAreReplaced checks that a worn checker is replaced between two
// scripts.
func TestWornCheckersAreReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var started []*fakeChecker
		s := startChecking(t, dialer{}, func() *fakeChecker {
			started = append(started, &fakeChecker{life: 4, dead: make(chan struct{})})
			return started[len(started)-1]
		})
		for i := range 5 { // each script needs two answers
			checkOnly(t, s, fmt.Sprint(i))
		}
		synctest.Wait()
		if len(started) != 3 {
			t.Fatalf("%d checkers were started for ten answers, want 3", len(started))
		}
		for i, want := range []int{4, 4, 2} {
			ended := false
			select {
			case <-started[i].Done():
				ended = true
			default:
			}
			if started[i].answered != want || ended != (want == 4) {
				t.Errorf("checker %d has answered %d times and ended: %t; want %d answers, and the end after four", i, started[i].answered, ended, want)
			}
		}
	})
}

// TestCatalogChangesBeforeTheCheck connects a server while a script is compiled. The
// script is checked against the new catalog, and cached results of the old catalog
// are not used.
func TestCatalogChangesBeforeTheCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s *actors.System
		var modules []string
		come := func() {
			if _, err := s.Configure(t.Context(), configs("early", "late")); err != nil {
				t.Error(err)
			}
			synctest.Wait()
		}
		checker := &fakeChecker{
			uses: runner.Uses{All: true}, dead: make(chan struct{}),
			check: func(c runner.TypeCheck) { modules = append(modules, c.Module.Text) },
		}
		s = startChecking(t, dialer{"early": answers(newConn("early"), nil), "late": answers(newConn("late"), nil)},
			func() *fakeChecker { return checker }, "early")
		settle(t, s)
		checkOnly(t, s, "known")
		checkOnly(t, s, "known")
		checker.compile = come
		checkOnly(t, s, "new")
		checkOnly(t, s, "known")
		if len(modules) != 3 {
			t.Fatalf("%d checks, want one of the known script by each catalog and one of the new", len(modules))
		}
		for i, want := range []bool{false, true, true} {
			if !strings.Contains(modules[i], "[early__echo]") || strings.Contains(modules[i], "[late__echo]") != want {
				t.Errorf("check %d was against\n%s\nwant the server that came late: %t", i, modules[i], want)
			}
		}
	})
}

// TestCatalogChangesWithinTheDeclarations removes a server between the choice of the
// servers and the rendering of their types. Both must use the new catalog in the end,
// and the advice must list its servers.
func TestCatalogChangesWithinTheDeclarations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, dialer{}, "goes", "stays")
		settle(t, s)
		before := actors.Current(s)
		looks := 0
		look := func() actors.View {
			if looks++; looks > 1 {
				return actors.Current(s)
			}
			if _, err := s.Configure(t.Context(), configs("stays")); err != nil {
				t.Error(err)
			}
			synctest.Wait()
			return before
		}
		d, err := actors.DeclarationsOf(s, t.Context(), look, runner.Uses{Servers: []string{"goes"}}, nil)
		if err != nil || looks != 2 || strings.Contains(d.Text, "[goes__echo]") || !strings.Contains(d.Text, "[stays__echo]") {
			t.Errorf("after %d looks, %v:\n%s\nwant the types of the server that stays, after two", looks, err, d.Text)
		}
	})
}
