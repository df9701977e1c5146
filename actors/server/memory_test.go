package server_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/upstream"
)

// shelf is a Memory without a file.
type shelf struct {
	mu    sync.Mutex
	tools []toolscript.Tool
	err   error
	slow  time.Duration

	spoken upstream.Spoken
}

func (m *shelf) Spoken(string, upstream.Config) upstream.Spoken {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.spoken
}

func (m *shelf) KeepSpoken(_ string, _ upstream.Config, s upstream.Spoken) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.spoken = s
	return m.err
}

func (*shelf) Instructions(string, upstream.Config) string { return "" }

func (*shelf) KeepInstructions(string, upstream.Config, string) error { return nil }

func (m *shelf) Recall(string, upstream.Config) []toolscript.Tool {
	time.Sleep(m.slow)
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.tools)
}

func (m *shelf) Keep(_ string, _ upstream.Config, tools []toolscript.Tool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tools = tools
	return m.err
}

// The stored tools are published while the server starts, filtered by the current
// configuration, and replaced by the server's list.
func TestToolsOfThePreviousStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory := &shelf{tools: tools("a", "b", "hidden")}
		r := start(t, options{
			config: upstream.Config{ExcludeTools: []string{"hidden"}}, memory: memory,
			dial: func(context.Context, int) (server.Conn, error) {
				time.Sleep(time.Second)
				return withTools("b", "c", "hidden"), nil
			},
		})
		if diff := cmp.Diff([]string{"connecting", "tools: a b"}, describe(r.take())); diff != "" {
			t.Errorf("at the start (-want +got):\n%s", diff)
		}
		if got := <-r.call(t.Context(), "a"); toolscript.KindOf(got.err) != toolscript.Unavailable {
			t.Errorf("call of a tool of the last time = %v, want unavailable", got.err)
		}
		time.Sleep(2 * time.Second)
		if diff := cmp.Diff([]string{"tools: b c", "ready"}, describe(r.take())); diff != "" {
			t.Errorf("when connected (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(tools("b", "c", "hidden"), memory.Recall("", upstream.Config{})); diff != "" {
			t.Errorf("kept (-want +got):\n%s", diff)
		}
	})
}

// A slow or failing Memory does not affect the server's own list.
func TestSlowOrFailingMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory := &shelf{tools: tools("old"), slow: time.Minute, err: errors.New("no space left on device")}
		r := start(t, options{memory: memory, dial: func(context.Context, int) (server.Conn, error) { return withTools("new"), nil }})
		time.Sleep(2 * time.Minute)
		if diff := cmp.Diff([]string{"connecting", "tools: new", "ready"}, describe(r.take())); diff != "" {
			t.Errorf("facts (-want +got):\n%s", diff)
		}
	})
}
