package actors_test

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/server"
)

// versionedConn is a connection to a server that gets a new version without an announcement. In the new version, the
// argument of its tool is a text, and there is another tool.
type versionedConn struct {
	*fakeConn
	second atomic.Bool
	lists  atomic.Int32
}

func (c *versionedConn) ListAge() time.Duration { return time.Hour }

func (c *versionedConn) ListTools(context.Context) ([]toolscript.Tool, error) {
	c.lists.Add(1)
	schema := func(kind string) json.RawMessage {
		return json.RawMessage(`{"type":"object","properties":{"id":{"type":"` + kind + `"}},"required":["id"]}`)
	}
	if c.second.Load() {
		return []toolscript.Tool{{Server: c.server, Name: "report", InputSchema: schema("string")}, {Server: c.server, Name: "fresh", InputSchema: schema("string")}}, nil
	}
	return []toolscript.Tool{{Server: c.server, Name: "report", InputSchema: schema("integer")}}, nil
}

// TestNothingIsRefusedByAnOldList: before a call is refused because of its arguments or its tool, the list of the
// server is read, unless it has just been read.
func TestNothingIsRefusedByAnOldList(t *testing.T) {
	for _, call := range []toolscript.Call{
		{ID: "a__report", Args: json.RawMessage(`{"id":"ABC-1"}`)},
		{ID: "a__fresh", Args: json.RawMessage(`{"id":"ABC-1"}`)},
	} {
		t.Run(call.ID, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &versionedConn{fakeConn: newConn("a")}
				s := start(t, dialer{"a": answers(server.Conn(c), nil)}, "a")
				settle(t, s)
				if _, err := s.CallTool(t.Context(), call); err == nil || c.lists.Load() != 1 {
					t.Errorf("just after the list was read: %v, %d lists", err, c.lists.Load())
				}
				time.Sleep(11 * time.Second)
				if _, err := s.CallTool(t.Context(), call); err == nil || c.lists.Load() != 2 {
					t.Errorf("of a server without a new version: %v, %d lists", err, c.lists.Load())
				}
				c.second.Store(true)
				time.Sleep(11 * time.Second)
				if result, err := s.CallTool(t.Context(), call); err != nil || string(result) != string(call.Args) {
					t.Errorf("of a server with a new version: %s, %v", result, err)
				}
			})
		})
	}
}

// TestDescribeReadsAnOldList: Describe reads the list of the server again if it lacks the tool.
func TestDescribeReadsAnOldList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &versionedConn{fakeConn: newConn("a")}
		s := start(t, dialer{"a": answers(server.Conn(c), nil)}, "a")
		settle(t, s)
		c.second.Store(true)
		if _, err := s.Describe(t.Context(), "a.fresh"); toolscript.KindOf(err) != toolscript.NotFound || c.lists.Load() != 1 {
			t.Errorf("just after the list was read: %v, %d lists", err, c.lists.Load())
		}
		time.Sleep(11 * time.Second)
		if d, err := s.Describe(t.Context(), "a.fresh"); err != nil || d.ToolID != "a__fresh" || c.lists.Load() != 2 {
			t.Errorf("later: %+v, %v, %d lists", d, err, c.lists.Load())
		}
	})
}
