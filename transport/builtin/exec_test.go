package builtin_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/builtin"
	"github.com/toolscript/toolscript/transport/upstream"
)

// dialExec opens a server with the tool exec. Its programs are recorded in got, not run.
func dialExec(t *testing.T, got *upstream.Program, host upstream.Host, on upstream.Events) *scene {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	host.RunCommand = func(_ context.Context, c upstream.Program) (upstream.ProgramResult, error) {
		*got = c
		return upstream.ProgramResult{ExitCode: 3, Stdout: "o", Stderr: "e", Aggregated: "oe", TimedOut: true, Duration: 1500 * time.Millisecond}, nil
	}
	cfg := upstream.Config{Root: root, Tools: []string{"exec"}}
	cfg.Settings.Exec = upstream.ExecSettings{Network: true, Writable: []string{"/cache"}}
	return &scene{T: t, conn: dial(t, builtin.Dialer{Host: host}, cfg, on), root: root, parent: filepath.Dir(root)}
}

func TestExec(t *testing.T) {
	t.Setenv("TOOLSCRIPT_GATEWAY_URL", "secret")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("HOME", "/home/me")
	var got upstream.Program
	s := dialExec(t, &got, upstream.Host{}, upstream.Events{})
	s.mkdir(s.path("sub"))
	r := s.call("exec", object{"command": []string{"npm", "test"}, "cwd": "sub", "env": object{"CI": "1", "HOME": "/other"}, "timeoutMs": 2000})
	want := object{"exitCode": 3.0, "stdout": "o", "stderr": "e", "aggregatedOutput": "oe", "timedOut": true, "durationMs": 1500.0}
	if diff := cmp.Diff(want, r.Structured); diff != "" {
		t.Errorf("the result (-want +got):\n%s", diff)
	}
	env := got.Env
	got.Env, got.Room = nil, nil // Room is a function, which cmp cannot compare
	if diff := cmp.Diff(upstream.Program{
		Args: []string{"npm", "test"}, Root: s.root, Dir: s.path("sub"), Writable: []string{"/cache"}, Network: true, Timeout: 2 * time.Second,
	}, got); diff != "" {
		t.Errorf("the command (-want +got):\n%s", diff)
	}
	if !slices.Contains(env, "CI=1") || !slices.Contains(env, "HOME=/other") || slices.Contains(env, "HOME=/home/me") ||
		strings.Contains(strings.Join(env, " "), "secret") {
		t.Errorf("the environment is %q", env)
	}
	if s.call("exec", object{"command": []string{"npm"}}); got.Dir != s.root || got.Timeout != 30*time.Second {
		t.Errorf("the defaults are %q and %v", got.Dir, got.Timeout)
	}
}

func TestExecRefuses(t *testing.T) {
	var got upstream.Program
	s := dialExec(t, &got, upstream.Host{}, upstream.Events{})
	s.write("file", "")
	for want, args := range map[string]object{
		"outside of the workspace": {"command": []string{"x"}, "cwd": ".."},
		"does not exist":           {"command": []string{"x"}, "cwd": "none"},
		"is not a folder":          {"command": []string{"x"}, "cwd": "file"},
		"toolscript's own":         {"command": []string{"x"}, "env": object{"toolscript_GATEWAY_URL": "x"}},
		`"A=B" is not a variable`:  {"command": []string{"x"}, "env": object{"A=B": "x"}},
		`"A" is not a variable`:    {"command": []string{"x"}, "env": object{"A": "x\x00y"}},
		"the command contains":     {"command": []string{"x\x00y"}},
	} {
		if r := s.call("exec", args); !r.IsError || !strings.Contains(r.text(), want) {
			t.Errorf("%v: %s, want %q", args, r.raw, want)
		}
	}
	if got.Args != nil {
		t.Errorf("a program was run: %+v", got)
	}
}

// TestExecSaysThatNothingHolds: if programs are not confined, the server's instructions and the log say so.
func TestExecSaysThatNothingHolds(t *testing.T) {
	var got upstream.Program
	var logged string
	on := upstream.Events{Log: func(_ slog.Level, message string) { logged = message }}
	for _, active := range []bool{true, false} {
		logged = ""
		s := dialExec(t, &got, upstream.Host{Confinement: []toolscript.Confinement{{Name: "files", Active: active, Detail: "too old"}}}, on)
		text := s.conn.Info().Instructions
		if said := strings.Contains(text, "not confined on this machine (too old)"); said == active || logged != text {
			t.Errorf("confined %t: the instructions are %q, the log is %q", active, text, logged)
		}
	}
}
