package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

// taskConn is a connection whose calls are tasks. The task of a call ends with the connection that
// follows it.
type taskConn struct {
	*fakeConn
	started chan string // the task of each call; "" for a new call
}

func (c *taskConn) Start(m upstream.ToolCall) upstream.Started {
	c.started <- m.Task
	m.Began("t1")
	return m.Go(func(ctx context.Context) (json.RawMessage, error) {
		if m.Task != "" {
			return json.RawMessage(`{"content":[]}`), nil
		}
		select {
		case <-c.lost:
			return nil, &toolscript.Error{Kind: toolscript.Unavailable, Sent: toolscript.SentUnknown, Err: &mcpclient.TaskError{ID: "t1", Err: errors.New("lost")}}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
}

// TestTaskIsFollowedOnTheNextConnection: a call is made once, even if its connection is lost while the
// server works on its task. This holds for calls through the actor and on the connection itself.
func TestTaskIsFollowedOnTheNextConnection(t *testing.T) {
	for name, direct := range map[string]bool{"actor": false, "port": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				started := make(chan string, 10)
				var conns []*taskConn
				r := start(t, options{dial: func(context.Context, int) (server.Conn, error) {
					c := &taskConn{withTools("work"), started}
					conns = append(conns, c)
					return c, nil
				}})
				synctest.Wait()
				done := make(chan error, 1)
				if direct {
					_, sent := r.port.Start(&server.Call{Ctx: context.Background(), Tool: "work"}, func(_ json.RawMessage, err error) { done <- err })
					if !sent {
						t.Fatal("the call was not sent")
					}
				} else {
					reply := r.call(t.Context(), "work")
					go func() { done <- (<-reply).err }()
				}
				synctest.Wait()
				conns[0].die(nil)
				time.Sleep(time.Minute)
				if err := <-done; err != nil {
					t.Errorf("the call: %v", err)
				}
				close(started)
				var tasks []string
				for task := range started {
					tasks = append(tasks, task)
				}
				if len(tasks) != 2 || tasks[0] != "" || tasks[1] != "t1" {
					t.Errorf("the connections got %q, want a new call and the task t1", tasks)
				}
			})
		})
	}
}

// TestTaskWithoutAnotherConnection: if there is no other connection, the error says which task is left.
func TestTaskWithoutAnotherConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := &taskConn{withTools("work"), make(chan string, 10)}
		r := start(t, options{dial: func(_ context.Context, n int) (server.Conn, error) {
			if n == 1 {
				return conn, nil
			}
			return nil, &toolscript.Error{Kind: toolscript.Unavailable, Err: errors.New("gone")}
		}})
		synctest.Wait()
		done := make(chan error, 1)
		_, _ = r.port.Start(&server.Call{Ctx: context.Background(), Tool: "work"}, func(_ json.RawMessage, err error) { done <- err })
		synctest.Wait()
		conn.die(nil)
		time.Sleep(5 * time.Minute)
		err := <-done
		if toolscript.KindOf(err) != toolscript.Unavailable || toolscript.SentOf(err) != toolscript.SentUnknown || !strings.Contains(err.Error(), "task t1") {
			t.Errorf("the call: %v, sent %s", err, toolscript.SentOf(err))
		}
	})
}
