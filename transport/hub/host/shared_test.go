package host

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/transport/hub/wire"
	"github.com/toolscript/toolscript/transport/upstream"
)

// startAlone starts a hub without servers.
func startAlone(t *testing.T) *Host {
	t.Helper()
	dir, err := os.MkdirTemp("", "hub") //nolint:usetesting // the path of t.TempDir may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	system, err := actors.Start(actors.Options{ServersOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	h, err := Start(Options{Listener: listener, Token: "token", Servers: system})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Errorf("close the hub: %v", err)
		}
		if err := system.Close(context.Background()); err != nil {
			t.Errorf("close the servers: %v", err)
		}
	})
	return h
}

// TestLikeKeys checks that servers with the same name, whose keys begin with the same digits, have
// separate actors and displayed names.
func TestLikeKeys(t *testing.T) {
	h := startAlone(t)
	d := wire.Definition{Name: "srv", Config: upstream.Config{Type: upstream.Stdio}}
	begin := strings.Repeat("a", keyShown)
	var names, shown []string
	for _, key := range []string{begin + strings.Repeat("0", 24), begin + strings.Repeat("1", 24), begin + strings.Repeat("2", 24)} {
		s, err := h.newShared(key, d)
		if err != nil {
			t.Fatal(err)
		}
		names, shown = append(names, s.name), append(shown, s.shown)
	}
	if names[0] == names[1] || names[1] == names[2] || names[0] == names[2] {
		t.Errorf("names of actors %q", names)
	}
	if want := []string{"srv", "srv~" + begin, names[2]}; strings.Join(shown, " ") != strings.Join(want, " ") {
		t.Errorf("shown names %q, want %q", shown, want)
	}
}

// TestSlowConsumer checks which notices of the NATS server are logged.
func TestSlowConsumer(t *testing.T) {
	var text bytes.Buffer
	l := natsLog{slog.New(slog.NewTextHandler(&text, nil))}
	l.Noticef("Server is ready")
	l.Noticef("pipe - cid:3 - Slow Consumer Detected: MaxPending of %d Exceeded", maxPending)
	if got := text.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "level=WARN") || !strings.Contains(got, "Slow Consumer") {
		t.Errorf("log %q", got)
	}
}
