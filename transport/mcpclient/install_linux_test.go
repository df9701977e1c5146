package mcpclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/proc"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

// npx is a simulated package manager. It installs until the file "go" exists, runs a script of a package
// meanwhile, and then starts the server. After SIGTERM it runs longer than other programs may.
const npx = `#!/bin/sh
trap 'sleep 1.5 >/dev/null; echo undone >>"$FOLDER/notes"; exit 1' TERM
echo "begun $$" >>"$FOLDER/notes"
echo 'npm warn deprecated' >&2
(exec sh -c 'while [ ! -e "$FOLDER/go" ] && [ -e "$FOLDER" ]; do sleep 0.02; done') >/dev/null </dev/null 2>/dev/null
echo installed >>"$FOLDER/notes"
echo 'npm notice' >&2
"$@"
echo ended >>"$FOLDER/notes"
`

// docker is a fake container runtime that pulls an image until the file "go" exists, and prints the
// lines of docker 20 and 28 on standard error.
const docker = `#!/bin/sh
shift 3
echo "begun $$" >>"$FOLDER/notes"
echo "Unable to find image 'example.com/mcp/time:1' locally" >&2
echo '1: Pulling from mcp/time' >&2
(exec sh -c 'while [ ! -e "$FOLDER/go" ] && [ -e "$FOLDER" ]; do sleep 0.02; done') >/dev/null </dev/null 2>/dev/null
echo '9fca9b9a98d1: Pull complete' >&2
echo 'Status: Downloaded newer image for example.com/mcp/time:1' >&2
echo installed >>"$FOLDER/notes"
"$@"
`

// installed is a server that a fake package manager installs.
type installed struct {
	t      *testing.T
	folder string
	config upstream.Config

	mu   sync.Mutex
	look func() proc.Activity
	logs []string
}

func newInstalled(t *testing.T, switches ...string) *installed {
	t.Helper()
	s := &installed{t: t, folder: t.TempDir(), config: config(t)}
	if err := os.WriteFile(filepath.Join(s.folder, "npx"), []byte(npx), 0o700); err != nil {
		t.Fatal(err)
	}
	s.config.Args = append([]string{s.config.Command}, switches...)
	s.config.Command = "npx"
	s.config.Env["FOLDER"] = s.folder
	s.config.Env["PATH"] = s.folder + ":" + os.Getenv("PATH")
	t.Cleanup(s.finish) // even if the test fails
	return s
}

// newPulled returns a server whose image a fake container runtime pulls.
func newPulled(t *testing.T) *installed {
	t.Helper()
	s := newInstalled(t)
	if err := os.WriteFile(filepath.Join(s.folder, "docker"), []byte(docker), 0o700); err != nil {
		t.Fatal(err)
	}
	s.config.Command, s.config.Args = "docker", slices.Concat([]string{"run", "-i", "--rm"}, s.config.Args)
	return s
}

// finish lets the installation end.
func (s *installed) finish() {
	if err := os.WriteFile(filepath.Join(s.folder, "go"), nil, 0o600); err != nil {
		s.t.Error(err)
	}
}

func (s *installed) notes() []string {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.folder, "notes"))
	if err != nil && !os.IsNotExist(err) {
		s.t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// events returns the events for a Dial.
func (s *installed) events() upstream.Events {
	return upstream.Events{
		Starting: func(look func() proc.Activity) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.look = look
		},
		Log: func(level slog.Level, text string) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if level >= slog.LevelWarn {
				s.logs = append(s.logs, text)
			}
		},
	}
}

// installs reports whether the package manager runs and is recognized as installing.
func (s *installed) installs() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.look != nil && s.look().Installing && s.look().Seen
}

func (s *installed) dial(ctx context.Context, r *proc.Reaper) chan error {
	done := make(chan error, 1)
	go func() {
		c, err := mcpclient.Dialer{Reaper: r}.Dial(ctx, "srv", s.config, s.events())
		if err == nil {
			err = c.Close()
		}
		done <- err
	}()
	return done
}

func await(t *testing.T, done <-chan error) error {
	t.Helper()
	select {
	case err := <-done:
		return err
	case <-time.After(kit.Patience):
		t.Fatal("the dial did not end")
		return nil
	}
}

func TestInstallationIsSeen(t *testing.T) {
	s := newInstalled(t)
	s.config.Args = append(s.config.Args, "hang=100ms")
	done := s.dial(kit.Within(t), nil)
	kit.Eventually(t, "an installation", s.installs)
	kit.Eventually(t, "the script of a package", func() bool { return s.look().Processes >= 3 })
	if !s.installs() {
		t.Error("the script of a package counts as the server")
	}
	s.finish()
	kit.Eventually(t, "the end of the installation", func() bool { return !s.look().Installing })
	if err := await(t, done); err != nil {
		t.Error(err)
	}
}

// TestInstallationOutlivesTheProgram: an installation, or the pull of an image, continues after the
// end of the dial and of the reaper.
func TestInstallationOutlivesTheProgram(t *testing.T) {
	t.Run("npx", func(t *testing.T) { outlivesTheProgram(t, newInstalled(t)) })
	t.Run("docker", func(t *testing.T) { outlivesTheProgram(t, newPulled(t)) })
}

func outlivesTheProgram(t *testing.T, s *installed) {
	t.Helper()
	r := proc.NewReaper(slog.Default())
	ctx, cancel := context.WithCancel(t.Context())
	first := s.dial(ctx, r)
	kit.Eventually(t, "an installation", s.installs)
	kit.Eventually(t, "the begin", func() bool { return s.notes()[0] != "" })
	cancel()
	if err := await(t, first); toolscript.KindOf(err) != toolscript.Cancelled {
		t.Errorf("Dial: %v, want cancelled", err)
	}
	r.Close()
	if len(s.logs) != 1 || !strings.Contains(s.logs[0], "still being installed; this goes on in the background") {
		t.Errorf("log = %q, want one line about the installation", s.logs)
	}
	s.wasLeft()
}

// TestInstallationOutlivesAKilledProgram: an installation also continues after SIGKILL. A running server ends.
func TestInstallationOutlivesAKilledProgram(t *testing.T) {
	for _, installing := range []bool{true, false} {
		t.Run(fmt.Sprint(installing), func(t *testing.T) {
			s := newInstalled(t, "hang=1h")
			if installing {
				s.config.Args = s.config.Args[:1]
			}
			text, err := json.Marshal(s.config)
			if err != nil {
				t.Fatal(err)
			}
			program := exec.CommandContext(t.Context(), s.config.Args[0])
			program.Env = append(os.Environ(), dialRole+"="+string(text))
			program.Stderr = os.Stderr
			steps, err := program.StdoutPipe()
			if err == nil {
				err = program.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(steps, make([]byte, len("starting\nstarting\n"))); err != nil {
				t.Fatal(err)
			}
			kit.Eventually(t, "the begin", func() bool { return s.notes()[0] != "" })
			if !installing {
				s.finish()
				kit.Eventually(t, "the server", func() bool { return len(s.notes()) == 2 })
			}
			_ = program.Process.Kill()
			_ = program.Wait() // killed, so an error is expected
			if installing {
				kit.Eventually(t, "another process takes over", s.takenOver)
				s.wasLeft()
				return
			}
			kit.Eventually(t, "the end of the server", func() bool { return dead(t, s.manager()) })
		})
	}
}

// manager returns the process id of the package manager that started first.
func (s *installed) manager() int {
	s.t.Helper()
	var pid int
	if _, err := fmt.Sscanf(s.notes()[0], "begun %d", &pid); err != nil {
		s.t.Fatal(err)
	}
	return pid
}

// takenOver reports whether another process has taken over the installation.
func (s *installed) takenOver() bool {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline") // the pattern is well-formed
	leader := fmt.Sprintf("\x00%s\x00leave\x00%d\x00", proc.Command, s.manager())
	return slices.ContainsFunc(files, func(file string) bool {
		text, _ := os.ReadFile(file) // empty if the process has ended
		return strings.Contains(string(text), leader)
	})
}

// wasLeft checks that an installation continues, that the next start waits for it, and that the server
// that the first package manager starts in the end does not keep running.
func (s *installed) wasLeft() {
	t := s.t
	t.Helper()
	manager := s.manager()
	if dead(t, manager) {
		t.Fatal("the package manager is dead")
	}

	s.look = nil
	second := s.dial(kit.Within(t), nil)
	kit.Eventually(t, "the wait of the second start", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.look != nil && s.look().Installing })
	s.finish()
	if err := await(t, second); err != nil {
		t.Errorf("the second start: %v", err)
	}
	notes := slices.DeleteFunc(s.notes(), func(n string) bool { return n == "ended" || n == "undone" })
	if len(notes) != 4 || notes[1] != "installed" || !strings.HasPrefix(notes[2], "begun ") || notes[3] != "installed" {
		t.Errorf("notes = %q, want the second start after the end of the first", s.notes())
	}
	if !dead(t, manager) {
		t.Error("the first package manager still runs")
	}
}

// TestLimitLetsAPackageManagerCleanUp: at the time limit, a package manager gets SIGTERM, and SIGKILL
// only after the time that it needs to clean up. A slow machine changes nothing: the limit is far above the
// time of the fake package manager.
func TestLimitLetsAPackageManagerCleanUp(t *testing.T) {
	t.Cleanup(mcpclient.SetUndoExit(kit.Patience))
	s := newInstalled(t)
	ctx, end := context.WithCancelCause(t.Context())
	done := s.dial(ctx, proc.NewReaper(slog.Default()))
	kit.Eventually(t, "an installation", s.installs)
	kit.Eventually(t, "the script of a package", func() bool { return s.look().Processes >= 3 }) // a shell that just begins ignores SIGTERM
	end(context.DeadlineExceeded)
	if err := await(t, done); toolscript.KindOf(err) != toolscript.Timeout {
		t.Errorf("Dial: %v, want a timeout", err)
	}
	if notes := s.notes(); len(notes) != 2 || notes[1] != "undone" {
		t.Errorf("notes = %q, want the end of the cleaning up", notes)
	}
}
