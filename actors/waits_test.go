package actors_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/audit"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestAuditHasWaits: the audit line of a call has how long the call waited for a person, and then for its turn at
// the server.
func TestAuditHasWaits(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		conn := newConn("up")
		conn.tools = []string{"echo", "free"}
		conn.call = func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
			time.Sleep(5 * time.Second)
			return json.RawMessage(`{}`), nil
		}
		s := startWith(t, actors.Options{
			Servers: map[string]upstream.Config{"up": {Type: upstream.HTTP, Concurrency: 1}}, Dial: dialer{"up": answers(conn, nil)}.dial,
			Approvals: actors.Approvals{Policies: func() toolscript.Approvals {
				return toolscript.Approvals{{Default: toolscript.ApprovalAllow, Rules: []toolscript.ApprovalRule{{Match: []string{"up__echo"}, Action: toolscript.ApprovalAsk}}}}
			}},
			Audit: audit.NewLog(audit.Options{Chain: audit.ChainOptions{Dir: dir}, Logger: slog.New(slog.DiscardHandler)}),
		})
		synctest.Wait()
		a, ended := pendingCall(t, s, toolscript.Call{ID: "up__echo", Queued: 2 * time.Second})
		time.Sleep(3 * time.Second)
		go func() { _, _ = s.CallTool(t.Context(), toolscript.Call{ID: "up__free"}) }()
		synctest.Wait()
		allowIt(t, s, a.ID)
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		line := lastLine(t, dir)
		if want := (toolscript.Waits{QueuedMs: 2000, ApprovalMs: 3000, SlotMs: 5000}); line.Tool != "up__echo" || line.Ms != 13000 || line.Waits != want {
			t.Errorf("%s took %v ms with the waits %+v, want 13000 ms with %+v", line.Tool, line.Ms, line.Waits, want)
		}
	})
}

// TestListsOfAllAccounts: the tools of one account do not stand for those of another that connects.
func TestListsOfAllAccounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		of := upstream.Config{Type: upstream.HTTP, Accounts: []string{"work", "home"}}
		s := startWith(t, actors.Options{
			Servers: map[string]upstream.Config{"hub@work": of, "hub@home": of},
			Dial:    dialer{"hub@work": after(time.Second, answers(newConn("hub@work", "own"), nil))}.dial,
		})
		synctest.Wait()
		if waited, pending := s.AwaitLists(t.Context(), nil); len(waited) != 1 || len(pending) != 0 {
			t.Errorf("AwaitLists = %q, %q, want to wait for one", waited, pending)
		}
		if n := s.Catalog().Len(); n != 2 {
			t.Errorf("%d tools, want those of both accounts", n)
		}
	})
}
