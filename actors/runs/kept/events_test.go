package kept_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/runs/kept"
)

func detachedID(n int) string { return fmt.Sprintf("run_%016x", n) }

func create(t *testing.T, s kept.Events, id string) *kept.EventLog {
	t.Helper()
	l, err := s.Create(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func add(t *testing.T, l *kept.EventLog, events ...toolscript.Event) {
	t.Helper()
	for _, e := range events {
		if err := l.Add(e); err != nil {
			t.Fatal(err)
		}
	}
}

func printed(text string) toolscript.Event {
	return toolscript.Event{Type: toolscript.EventStdout, Data: text}
}

func ended(id string) toolscript.Event {
	return toolscript.EndEvent(id, toolscript.End{OK: true, Value: []byte(`"é\n<a href='?x=1&y=2'>"`)})
}

// read returns the types of the events with their data.
func read(t *testing.T, s kept.Events, id string) (events []string, end *toolscript.End) {
	t.Helper()
	err := s.Follow(t.Context(), id, false, func(e toolscript.Event) error {
		events, end = append(events, string(e.Type)+e.Data), e.End
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return events, end
}

func TestFollow(t *testing.T) {
	s := kept.Events{Dir: t.TempDir()}
	l := create(t, s, detachedID(1))
	add(t, l, toolscript.Event{Type: toolscript.EventStart, RunID: detachedID(1)}, printed("a\nb"))
	if got, end := read(t, s, detachedID(1)); fmt.Sprint(got) != "[start stdouta\nb]" || end != nil {
		t.Errorf("events = %q, %v", got, end)
	}
	seen, done := make(chan string), make(chan error, 1)
	go func() {
		done <- s.Follow(context.Background(), detachedID(1), true, func(e toolscript.Event) error {
			seen <- string(e.Type)
			return nil
		})
	}()
	for _, want := range []string{"start", "stdout"} {
		if got := <-seen; got != want {
			t.Errorf("event %s, want %s", got, want)
		}
	}
	add(t, l, printed("c"))
	if got := <-seen; got != "stdout" {
		t.Errorf("event %s, want stdout", got)
	}
	add(t, l, ended(detachedID(1)))
	if got := <-seen; got != "end" {
		t.Errorf("event %s, want end", got)
	}
	if err := errors.Join(<-done, l.Close()); err != nil {
		t.Error(err)
	}
	got, end := read(t, s, detachedID(1))
	if len(got) != 4 || end == nil || !end.OK || string(end.Value) != `"é\n<a href='?x=1&y=2'>"` {
		t.Errorf("events = %q, %+v", got, end)
	}
	if _, err := os.Stat(filepath.Join(s.Dir, detachedID(1)+".lock")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the lock of an ended run: %v", err)
	}
}

// TestFollowATornEnd: the last event is read even if its line has no line break, as after a write to a full disk.
func TestFollowATornEnd(t *testing.T) {
	s := kept.Events{Dir: t.TempDir()}
	l := create(t, s, detachedID(1))
	add(t, l, printed("a"), ended(detachedID(1)))
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(s.Dir, detachedID(1)+".events")
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, info.Size()-1); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got, end := read(t, s, detachedID(1)); len(got) != 2 || end == nil || !end.OK {
			t.Errorf("events = %q, %+v", got, end)
		}
	}
}

func TestFollowEndsWithItsContext(t *testing.T) {
	s := kept.Events{Dir: t.TempDir()}
	l := create(t, s, detachedID(1))
	defer func() { _ = l.Close() }()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := s.Follow(ctx, detachedID(1), true, func(toolscript.Event) error { return nil }); toolscript.KindOf(err) != toolscript.Timeout {
			t.Errorf("Follow = %v, want timeout", err)
		}
	})
}

func TestErrorOfEmit(t *testing.T) {
	s, wrong := kept.Events{Dir: t.TempDir()}, errors.New("closed")
	l := create(t, s, detachedID(1))
	defer func() { _ = l.Close() }()
	add(t, l, printed("a"), printed("b"))
	if err := s.Follow(t.Context(), detachedID(1), true, func(toolscript.Event) error { return wrong }); !errors.Is(err, wrong) {
		t.Errorf("Follow = %v, want %v", err, wrong)
	}
}

// TestKilledGateway reads a run whose process has ended in the middle of a line: nobody
// holds its lock.
func TestKilledGateway(t *testing.T) {
	for name, left := range map[string]string{
		"line":      "{\"type\":\"start\"}\n{\"type\":\"stdout\",\"data\":\"a\"}\n",
		"half line": "{\"type\":\"start\"}\n{\"type\":\"stdout\",\"data\":\"a\"}\n{\"type\":\"stdo",
	} {
		t.Run(name, func(t *testing.T) {
			s := kept.Events{Dir: t.TempDir()}
			if err := os.WriteFile(filepath.Join(s.Dir, detachedID(1)+".events"), []byte(left), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(s.Dir, detachedID(1)+".lock"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				got, end := read(t, s, detachedID(1))
				if fmt.Sprint(got) != "[start stdouta end]" || end == nil || end.OK || end.Kind != toolscript.Unavailable || end.ExitCode != 1 {
					t.Fatalf("events = %q, %+v", got, end)
				}
				if !strings.Contains(end.Error.Message, "the end of the script is not stored") {
					t.Errorf("message = %q", end.Error.Message)
				}
			}
			if u := s.Usage(); u.Running != 0 || u.Runs != 1 {
				t.Errorf("usage = %+v", u)
			}
		})
	}
}

func TestUnknownRuns(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "secret.events"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := kept.Events{Dir: filepath.Join(dir, "detached")}
	for _, name := range []string{detachedID(1), "../secret", "", detachedID(1) + "/", "run_0123456789ABCDEF"} {
		if err := s.Follow(t.Context(), name, false, nil); toolscript.KindOf(err) != toolscript.NotFound || s.Has(name) {
			t.Errorf("Follow(%q) = %v, want not_found", name, err)
		}
	}
	if _, err := s.Create(t.Context(), "../x"); err == nil {
		t.Error("Create of a path: no error")
	}
	if _, err := (kept.Events{}).Create(t.Context(), detachedID(1)); err == nil {
		t.Error("Create without a folder: no error")
	}
	if u := (kept.Events{}).Usage(); u != (kept.EventsUsage{}) {
		t.Errorf("Usage without a folder = %+v", u)
	}
}

func TestRunningRunsAreBounded(t *testing.T) {
	s := kept.Events{Dir: t.TempDir()}
	var logs []*kept.EventLog
	for i := range kept.MostDetachedRunning {
		logs = append(logs, create(t, s, detachedID(i)))
	}
	if _, err := s.Create(t.Context(), detachedID(99)); toolscript.KindOf(err) != toolscript.Busy || !strings.Contains(err.Error(), "toolscript runs wait") {
		t.Errorf("Create = %v, want busy", err)
	}
	if u := s.Usage(); u.Running != kept.MostDetachedRunning {
		t.Errorf("usage = %+v", u)
	}
	if err := logs[0].Close(); err != nil {
		t.Fatal(err)
	}
	logs = append(logs[1:], create(t, s, detachedID(99)))
	for _, l := range logs {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestOldRunsAreForgotten: one run goes on and is the oldest; it stays.
func TestOldRunsAreForgotten(t *testing.T) {
	s := kept.Events{Dir: t.TempDir()}
	live := create(t, s, detachedID(0))
	defer func() { _ = live.Close() }()
	write := func(n int, age time.Duration) {
		path := filepath.Join(s.Dir, detachedID(n)+".events")
		if err := os.WriteFile(path, []byte("{}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	write(1, kept.MostEventsAge+time.Minute)
	for n := 2; n < kept.MostDetachedRuns+10; n++ {
		write(n, time.Duration(n)*time.Second)
	}
	old := time.Now().Add(-2 * kept.MostEventsAge)
	if err := os.Chtimes(filepath.Join(s.Dir, detachedID(0)+".events"), old, old); err != nil {
		t.Fatal(err)
	}
	if err := create(t, s, detachedID(1000)).Close(); err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int]bool{0: true, 1: false, 2: true, kept.MostDetachedRuns: true, kept.MostDetachedRuns + 1: false, 1000: true} {
		if s.Has(detachedID(n)) != want {
			t.Errorf("run %d is kept: %v, want %v", n, !want, want)
		}
	}
}

func TestOutputIsBounded(t *testing.T) {
	s := kept.Events{Dir: t.TempDir()}
	l := create(t, s, detachedID(1))
	for range 40 {
		add(t, l, printed(strings.Repeat("x", 1<<20)))
	}
	add(t, l, ended(detachedID(1)))
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	got, end := read(t, s, detachedID(1))
	if u := s.Usage(); u.Bytes > kept.MostRunEvents+(1<<20) || end == nil || !end.OK {
		t.Errorf("usage = %+v, end = %+v", u, end)
	}
	if notice := got[len(got)-2]; !strings.Contains(notice, "the limit of a detached run is 32 MB") {
		t.Errorf("the event before the end is %.80q", notice)
	}
}
