//go:build unix

package hub

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/transport/hub"
)

// announce starts a fake hub that announces info, with a process id of its own.
func announce(t *testing.T, p Place, info hub.Info) net.Listener {
	t.Helper()
	process := exec.CommandContext(t.Context(), "sleep", "600")
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = process.Wait() // killed, so an error is expected
		close(ended)
	}()
	t.Cleanup(func() {
		_ = process.Process.Kill() // it may have ended already
		<-ended
	})
	listener, socket, err := p.listen()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			text, _ := json.Marshal(info)         // this struct always has a JSON form
			_, _ = conn.Write(append(text, '\n')) // the gateway reports a failure
			_, _ = conn.Read(make([]byte, 1))     // waits until the gateway ends the connection
			_ = conn.Close()
		}
	}()
	entry := Entry{Token: "t", Socket: socket, Version: info.Version, Protocol: info.Protocol}
	if entry.Process, err = discovery.Identify(process.Process.Pid); err == nil {
		err = p.write(entry, p.folders[0])
	}
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

// TestOtherHub checks a hub of another version: the gateway uses it if the protocol fits, replaces it
// if no gateway uses it, and otherwise returns an error that names a command.
func TestOtherHub(t *testing.T) {
	for _, tt := range []struct {
		name     string
		info     hub.Info
		launched bool
		failure  string
	}{
		{"fits", hub.Info{Protocol: hub.Protocol, Version: "0.0.1", Users: 2}, false, ""},
		{"in use", hub.Info{Protocol: hub.Protocol + 1, Version: "9.0.0", Users: 2}, false, "it is replaced when they have ended, or run: toolscript hub stop"},
		{"idle", hub.Info{Protocol: hub.Protocol + 1, Version: "9.0.0"}, true, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, err := os.MkdirTemp("", "hub") //nolint:usetesting // the path of t.TempDir may be too long for a socket
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(dir) })
			p := NewPlace(discovery.In(filepath.Join(dir, "run")), dir)
			first := announce(t, p, tt.info)
			before, _, err := p.Read()
			if err != nil {
				t.Fatal(err)
			}
			launched := false
			_, err = Finder{Place: p, Launch: func(context.Context) error {
				launched = true
				if gone, _ := before.Gone(); !gone {
					t.Error("the hub was not ended")
				}
				_ = first.Close()
				announce(t, p, hub.Info{Protocol: hub.Protocol, Version: toolscript.Version})
				return nil
			}}.Find(t.Context())
			if launched != tt.launched {
				t.Errorf("a hub was started: %t", launched)
			}
			if tt.failure == "" && err != nil || tt.failure != "" && (toolscript.KindOf(err) != toolscript.Unavailable || !strings.Contains(err.Error(), tt.failure)) {
				t.Errorf("error %v, want %q", err, tt.failure)
			}
			if gone, _ := before.Gone(); gone != tt.launched {
				t.Errorf("the process of the hub has ended: %t", gone)
			}
		})
	}
}
