package server_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/upstream"
)

// want sends Want to the server.
func (r *rig) want() { r.at.Engine.Send(r.at.PID, server.Want{}) }

func TestServerOnDemandDialsOnFirstUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, options{demand: true, dial: func(context.Context, int) (server.Conn, error) {
			return withTools("a"), nil
		}})
		time.Sleep(time.Hour)
		if diff := cmp.Diff([]string{"connecting"}, describe(r.take())); diff != "" {
			t.Errorf("before it is wanted (-want +got):\n%s", diff)
		}
		r.want()
		r.want()
		if diff := cmp.Diff([]string{"connecting", "tools: a", "ready"}, describe(r.take())); diff != "" {
			t.Errorf("when it is wanted (-want +got):\n%s", diff)
		}
		r.want()
		if diff := cmp.Diff([]time.Duration{time.Hour}, r.dialTimes()); diff != "" {
			t.Errorf("dials (-want +got):\n%s", diff)
		}
	})
}

func TestCallStartsAServerOnDemand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, options{demand: true, dial: func(context.Context, int) (server.Conn, error) { return newConn(), nil }})
		if got := <-r.call(t.Context(), "a"); toolscript.KindOf(got.err) != toolscript.Unavailable {
			t.Errorf("the call that wakes it = %v, want unavailable", got.err)
		}
		synctest.Wait()
		if got := <-r.call(t.Context(), "a"); got.err != nil {
			t.Errorf("the next call = %v", got.err)
		}
	})
}

// TestConfigurationProblemIsReportedOnUse: the problem of a server is reported when the server is used, and not
// before.
func TestConfigurationProblemIsReportedOnUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, options{demand: true, config: upstream.Config{Problem: errors.New("not trusted")}})
		if got := r.state(); got != toolscript.Connecting {
			t.Errorf("state = %s, want connecting", got)
		}
		r.want()
		if got := r.state(); got != toolscript.Failed {
			t.Errorf("state when wanted = %s, want failed", got)
		}
	})
}
