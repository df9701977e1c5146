package server

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/transport/upstream"
)

// toolConn is a connection with one tool, which runs for a time after its cancellation.
type toolConn struct {
	Conn
	takes time.Duration
}

func (c toolConn) Start(t upstream.ToolCall) upstream.Started {
	return t.Go(func(ctx context.Context) (json.RawMessage, error) {
		<-ctx.Done()
		time.Sleep(c.takes)
		return nil, context.Cause(ctx)
	})
}

// reporting is such a connection in this process.
type reporting struct{ toolConn }

func (reporting) ReportsEnd() {}

// TestEndAfterCancel checks when the caller of a cancelled call has its reply: when a tool
// of this process has ended, a second later at most, and at once for other tools.
func TestEndAfterCancel(t *testing.T) {
	for name, test := range map[string]struct {
		conn  Conn
		cause error
		want  time.Duration
	}{
		"ends":       {reporting{toolConn{takes: 200 * time.Millisecond}}, errors.New("no"), 200 * time.Millisecond},
		"does not":   {reporting{toolConn{takes: time.Hour}}, errors.New("no"), time.Second},
		"MCP":        {toolConn{takes: time.Hour}, errors.New("no"), 0},
		"time limit": {reporting{toolConn{takes: time.Hour}}, &toolscript.Error{Kind: toolscript.Timeout, Err: errors.New("late")}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls := &inFlight{traffic: new(Traffic), most: 1, generation: 1, calls: map[uint64]*pendingCall{}}
				o := &open{name: "demo", conn: test.conn, generation: 1, timeout: 24 * time.Hour, calls: calls, work: new(mailbox.Group), post: func(any) {}}
				begun, replies := time.Now(), 0
				var took time.Duration
				c := newCall(&Call{Ctx: context.Background(), Tool: "t"}, o, false, func(_ json.RawMessage, err error) {
					replies++
					took = time.Since(begun)
					if err == nil {
						t.Error("the cancelled call has no error")
					}
				})
				if !c.begin() {
					t.Fatal("no slot")
				}
				c.send()
				c.stop(test.cause)
				time.Sleep(25 * time.Hour)
				synctest.Wait()
				if took != test.want || replies != 1 || calls.count() != 0 {
					t.Errorf("%d replies after %v, want one after %v; %d calls", replies, took, test.want, calls.count())
				}
			})
		})
	}
}
