package server_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestSpokenIsKept: the versions of a server belong to its definition and to its name.
func TestSpokenIsKept(t *testing.T) {
	f, want := folder(t), upstream.Spoken{Version: upstream.Handshake, Server: "1.2.3"}
	if err := f.KeepSpoken("github", config, want); err != nil {
		t.Fatal(err)
	}
	if got := f.Spoken("github", config); got != want {
		t.Errorf("kept %+v, want %+v", got, want)
	}
	other := config
	other.Args = []string{"--beta"}
	for name, got := range map[string]upstream.Spoken{
		"another name": f.Spoken("gitlab", config), "another definition": f.Spoken("github", other), "no folder": server.ToolLists("").Spoken("github", config),
	} {
		if got != (upstream.Spoken{}) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := f.Recall("github", config); got != nil {
		t.Errorf("tools %+v", got)
	}
}

// TestSpokenIsForgotten: a damaged or old file counts as missing.
func TestSpokenIsForgotten(t *testing.T) {
	f := folder(t)
	if err := f.KeepSpoken("github", config, upstream.Spoken{Version: upstream.Handshake}); err != nil {
		t.Fatal(err)
	}
	all, err := filepath.Glob(filepath.Join(string(f), "*"))
	if err != nil || len(all) != 1 {
		t.Fatalf("files %q, %v", all, err)
	}
	old := time.Now().Add(-8 * 24 * time.Hour)
	if err := os.Chtimes(all[0], old, old); err != nil {
		t.Fatal(err)
	}
	if got := f.Spoken("github", config); got != (upstream.Spoken{}) {
		t.Errorf("after eight days: %+v", got)
	}
	if err := os.WriteFile(all[0], []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := f.Spoken("github", config); got != (upstream.Spoken{}) {
		t.Errorf("from a damaged file: %+v", got)
	}
}

// TestDialKnowsWhatTheServerSpoke: a dial gets what an earlier connection has found.
func TestDialKnowsWhatTheServerSpoke(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory, found, conn := &shelf{}, upstream.Spoken{Version: upstream.Stateless, Server: "2"}, withTools("a")
		r := start(t, options{config: upstream.Config{Type: upstream.Stdio}, memory: memory, dial: func(_ context.Context, n int) (server.Conn, error) {
			if n == 1 {
				return conn, nil
			}
			return withTools("a"), nil
		}})
		dialled := func() upstream.Events {
			r.mu.Lock()
			defer r.mu.Unlock()
			return r.on
		}
		if got := dialled().Spoken; got != (upstream.Spoken{}) {
			t.Errorf("the first dial knew %+v", got)
		}
		dialled().Speaks(found)
		synctest.Wait()
		if got := memory.Spoken("", upstream.Config{}); got != found {
			t.Errorf("kept %+v, want %+v", got, found)
		}
		conn.die(nil)
		time.Sleep(time.Minute)
		if got := dialled().Spoken; got != found {
			t.Errorf("the second dial knew %+v, want %+v", got, found)
		}
	})
}
