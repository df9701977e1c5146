//go:build integration && linux

package plugin_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const short = `toolscript exec 'return await tools.everything.echo({ message: "hello" })'`

// last returns the result of the last call.
func (e *endpoint) last(t *testing.T) toolResult {
	t.Helper()
	results := e.results(t)
	if len(results) == 0 {
		t.Fatal("no call has a result")
	}
	return results[len(results)-1]
}

// checkEcho checks that the last call reached the server.
func (w *world) checkEcho(t *testing.T, when string) {
	t.Helper()
	if r := w.model.last(t); r.error || !strings.Contains(r.text, "Echo: hello") {
		t.Errorf("%s: result = %+v", when, r)
	}
}

// TestClearAndCompact checks that the gateway keeps running when the client ends one session and
// starts another in the same process.
func TestClearAndCompact(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	w := newWorld(t, map[string]string{"home/.toolscript.json": everything}, bash(short), say("one"))
	s := w.start(t, pluginDir(t)...)
	s.prompt(t, "go")
	w.checkEcho(t, "at first")
	first := w.gateway(t)
	for _, command := range []string{"/clear", "/compact"} {
		s.prompt(t, command)
		w.model.then(bash(short), say("again"))
		s.prompt(t, "go")
		w.checkEcho(t, command)
		if now := w.gateway(t); now.PID != first.PID {
			t.Errorf("%s: gateway %d, want %d", command, now.PID, first.PID)
		}
	}
	if now := w.gateway(t); now.Session == first.Session {
		t.Errorf("the gateway has the session %s as before /clear", now.Session)
	}
	if sources := strings.Join(s.starts(), " "); !strings.Contains(sources, "startup") || !strings.Contains(sources, "clear") || !strings.Contains(sources, "compact") {
		t.Errorf("sessions have started by %q", sources)
	}
	s.end(t)
	ended(t, first.PID)
}

// starts returns the names of the SessionStart hooks that have run. A name contains the source of the hook.
func (s *session) starts() (names []string) {
	for _, l := range s.all {
		if l.Subtype == "hook_response" && l.HookEvent == "SessionStart" {
			names = append(names, l.HookName)
		}
	}
	return names
}

// TestResume checks that a session that is resumed in another process uses the gateway of that process.
func TestResume(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	w := newWorld(t, map[string]string{"home/.toolscript.json": everything}, bash(short), say("one"))
	s := w.start(t, pluginDir(t)...)
	id := s.prompt(t, "go").SessionID
	first := w.gateway(t)
	s.end(t)
	ended(t, first.PID)
	w.model.then(bash(short), say("two"))
	s = w.start(t, append(pluginDir(t), "--resume", id)...)
	s.prompt(t, "go on")
	w.checkEcho(t, "after --resume")
	if sources := strings.Join(s.starts(), " "); !strings.Contains(sources, "resume") {
		t.Errorf("sessions have started by %q", sources)
	}
	s.end(t)
}

// TestKilledClient checks that the gateway ends when the client is killed, although no hook runs.
func TestKilledClient(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	w := newWorld(t, map[string]string{"home/.toolscript.json": everything}, bash(short), say("one"))
	s := w.start(t, pluginDir(t)...)
	s.prompt(t, "go")
	gateway := w.gateway(t)
	if err := s.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	ended(t, gateway.PID)
}

// TestTwoSessions checks that each session has its own gateway, and that the end of one session does
// not stop the gateway of the other.
func TestTwoSessions(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	w := newWorld(t, map[string]string{"home/.toolscript.json": everything})
	status := bash("toolscript gateway status")
	allow := append(pluginDir(t), "--allowedTools", "Bash(toolscript gateway status)")
	w.model.then(status, say("one"))
	one := w.start(t, allow...)
	one.prompt(t, "go")
	first := w.gateway(t)
	if r := w.model.last(t); !strings.Contains(r.text, first.Address()) {
		t.Errorf("the first session uses %+v, want %s", r, first.Address())
	}
	w.model.then(status, say("two"))
	two := w.start(t, allow...)
	two.prompt(t, "go")
	both := w.gateways(t)
	if len(both) != 2 {
		t.Fatalf("%d gateways run, want two", len(both))
	}
	second := both[0] // the newer gateway
	if r := w.model.last(t); !strings.Contains(r.text, second.Address()) || strings.Contains(r.text, first.Address()) {
		t.Errorf("the second session uses %+v, want %s", r, second.Address())
	}
	one.end(t)
	ended(t, first.PID)
	w.model.then(bash(short), say("still"))
	two.prompt(t, "go on")
	w.checkEcho(t, "after the end of the other session")
	two.end(t)
	ended(t, second.PID)
}

// TestKilledGateway checks that the result for the agent says that the gateway does not answer, and
// that /clear starts another gateway.
func TestKilledGateway(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	w := newWorld(t, map[string]string{"home/.toolscript.json": everything}, bash(short), say("one"))
	s := w.start(t, pluginDir(t)...)
	s.prompt(t, "go")
	killed := w.gateway(t)
	if err := syscall.Kill(killed.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	ended(t, killed.PID)
	w.model.then(bash(short), say("two"))
	s.prompt(t, "go on")
	if r := w.model.last(t); !r.error || !strings.Contains(r.text, strings.TrimPrefix(killed.Address(), "http://")) {
		t.Errorf("result = %+v, want that the gateway does not answer", r)
	}
	s.prompt(t, "/clear")
	w.model.then(bash(short), say("three"))
	s.prompt(t, "go")
	w.checkEcho(t, "after /clear")
	s.end(t)
}

// TestConfigurations checks that a session continues, whatever the configuration is.
func TestConfigurations(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	const list = "toolscript list-servers"
	for _, tt := range []struct {
		name     string
		files    map[string]string
		message  []string // parts of the only text for the user
		gateways int
		shown    string // part of the result of list-servers
	}{
		{"none", nil, nil, 1, "No servers connected"},
		{"broken", map[string]string{"home/.toolscript.json": `{"mcpServers": {`}, []string{".toolscript.json", "without a gateway"}, 0, "requires approval"},
		{"untrusted", map[string]string{
			"home/.toolscript.json":    everything,
			"project/.toolscript.json": `{"mcpServers": {"theirs": {"command": "touch", "args": ["started"]}}}`,
		}, []string{"theirs", "toolscript trust"}, 1, "toolscript trust"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, tt.files, bash(list), say("done"))
			s := w.start(t, pluginDir(t)...)
			if r := s.prompt(t, "go"); r.Result != "done" || r.IsError {
				t.Errorf("result = %+v", r)
			}
			if got := w.gateways(t); len(got) != tt.gateways {
				t.Errorf("%d gateways run, want %d", len(got), tt.gateways)
			}
			said := s.messages(t, "SessionStart")
			if len(said) != min(1, len(tt.message)) {
				t.Errorf("the person reads %q", said)
			}
			for _, want := range tt.message {
				if !strings.Contains(strings.Join(said, "\n"), want) {
					t.Errorf("the person reads %q, want %q in it", said, want)
				}
			}
			if r := w.model.last(t); !strings.Contains(r.text, tt.shown) {
				t.Errorf("list-servers: %+v, want %q in it", r, tt.shown)
			}
			if _, err := os.Stat(filepath.Join(w.project, "started")); err == nil {
				t.Error("the server of an untrusted project was started")
			}
			s.end(t)
		})
	}
}
