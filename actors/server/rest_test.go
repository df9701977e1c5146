package server_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/server"
)

// TestARestingServerIsTriedWhenItIsNeeded: at most once in half a minute,
// however many calls there are.
func TestARestingServerIsTriedWhenItIsNeeded(t *testing.T) {
	broken := true
	dial := func(context.Context, int) (server.Conn, error) {
		if broken {
			return nil, errRefused
		}
		return withTools("a"), nil
	}
	synctest.Test(t, func(t *testing.T) {
		r := start(t, options{dial: dial})
		time.Sleep(3 * time.Minute) // it rests from about a minute and a half on
		if n := len(r.dialTimes()); n != 8 {
			t.Fatalf("%d dials, want 8", n)
		}
		r.call(t.Context(), "a")
		for range 20 {
			synctest.Wait()
			<-r.call(t.Context(), "a")
		}
		if n := len(r.dialTimes()); n != 9 {
			t.Errorf("%d dials after many calls, want one more", n)
		}
		if s := r.status(); s.State != toolscript.Backoff || !strings.Contains(s.Error, "refused") || s.Stderr != nil {
			t.Errorf("status = %+v", s)
		}
		broken = false
		time.Sleep(time.Minute)
		<-r.call(t.Context(), "a") // refused, and the reason for a try
		synctest.Wait()
		if got := <-r.call(t.Context(), "a"); got.err != nil {
			t.Errorf("call after the server has come up: %v", got.err)
		}
	})
}
