package logfile_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/cmd/logfile"
)

// writes records the text of each Write.
type writes struct {
	mu   sync.Mutex
	list []string
}

func (w *writes) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = append(w.list, string(p))
	return len(p), nil
}

func (w *writes) all() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string{}, w.list...)
}

// plain returns a handler that writes the message and the attributes of each line.
func plain(to io.Writer) slog.Handler {
	return slog.NewTextHandler(to, &slog.HandlerOptions{ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey) {
			return slog.Attr{}
		}
		return a
	}})
}

func later(h *logfile.Handler, text string) {
	h.HandleLater(context.Background(), slog.NewRecord(time.Now(), slog.LevelInfo, text, 0))
}

func TestLinesOfHandleLaterAreWrittenTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var to writes
		h := logfile.NewHandler(&to, plain)
		later(h, "a")
		time.Sleep(9 * time.Millisecond)
		later(h, "b")
		if got := to.all(); len(got) > 0 {
			t.Errorf("written at once: %q", got)
		}
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		want := []string{"msg=a\nmsg=b\n"}
		if diff := cmp.Diff(want, to.all()); diff != "" {
			t.Errorf("after a moment (-want +got):\n%s", diff)
		}
		later(h, "c")
		slog.New(h).With(slog.Int("x", 1)).WithGroup("g").Info("d", slog.Int("y", 2))
		later(h, "e")
		h.Flush()
		h.Flush()
		want = append(want, "msg=c\nmsg=d x=1 g.y=2\n", "msg=e\n")
		if diff := cmp.Diff(want, to.all()); diff != "" {
			t.Errorf("with another line and Flush (-want +got):\n%s", diff)
		}
		time.Sleep(time.Second) // no timer is left after a second
		if diff := cmp.Diff(want, to.all()); diff != "" {
			t.Errorf("at the end (-want +got):\n%s", diff)
		}
	})
}

// TestLinesOfOneSourceStayInOrder logs from many sources, more lines than may wait, with other
// lines between them.
func TestLinesOfOneSourceStayInOrder(t *testing.T) {
	var to writes
	h := logfile.NewHandler(&to, plain)
	var group sync.WaitGroup
	for source := range 4 {
		group.Go(func() {
			for n := range 3000 {
				if text := fmt.Sprintf("%d-%d", source, n); n%100 == 99 {
					slog.New(h).Info(text)
				} else {
					later(h, text)
				}
			}
		})
	}
	group.Wait()
	h.Flush()
	next := map[int]int{}
	for text := range strings.Lines(strings.Join(to.all(), "")) {
		var source, n int
		if _, err := fmt.Sscanf(text, "msg=%d-%d", &source, &n); err != nil || next[source] != n {
			t.Fatalf("%q, want line %d of this source: %v", text, next[source], err)
		}
		next[source]++
	}
	if want := map[int]int{0: 3000, 1: 3000, 2: 3000, 3: 3000}; !cmp.Equal(next, want) {
		t.Errorf("lines: %v", next)
	}
}

// TestTheFormOfLines checks that a line has the same form with and without the handler.
func TestTheFormOfLines(t *testing.T) {
	var direct bytes.Buffer
	var to writes
	json := func(w io.Writer) slog.Handler {
		return slog.NewJSONHandler(w, &slog.HandlerOptions{Level: slog.LevelWarn})
	}
	h := logfile.NewHandler(&to, json)
	record := slog.NewRecord(time.Now(), slog.LevelWarn, "text", 0)
	record.AddAttrs(slog.String("a", "1"), slog.Duration("b", time.Second))
	if err := json(&direct).Handle(t.Context(), record); err != nil {
		t.Fatal(err)
	}
	h.HandleLater(t.Context(), record)
	h.Flush()
	if diff := cmp.Diff([]string{direct.String()}, to.all()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if h.Enabled(t.Context(), slog.LevelInfo) || !h.Enabled(t.Context(), slog.LevelWarn) {
		t.Error("the level is not that of the form")
	}
}
