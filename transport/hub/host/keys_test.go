package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"testing"

	natsserver "github.com/nats-io/nats-server/v2/server"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/hub/cluster"
	"github.com/toolscript/toolscript/transport/upstream"
)

// userGateway starts a gateway that uses the server srv of a fleet, as a user would configure it.
func userGateway(t *testing.T, at cluster.Address) *actors.System {
	t.Helper()
	s := startSystem(t, actors.Options{
		Servers: map[string]upstream.Config{"srv": {Type: upstream.Fleet}},
		Dial:    upstream.Host{Own: map[string]upstream.Dial{upstream.Fleet: upstream.DialWith(fleetOf(t, at).Dial)}}.Dial(),
	})
	ready(t, s)
	return s
}

// keyedCall makes a call with an idempotency key in another goroutine.
func keyedCall(ctx context.Context, s *actors.System, key, args string) <-chan outcome {
	over := make(chan outcome, 1)
	go func() {
		result, err := s.CallTool(ctx, toolscript.Call{ID: "srv__echo", Args: json.RawMessage(args), Key: key, Wait: kit.Patience})
		over <- outcome{result, err}
	}()
	return over
}

// TestFleetKeys: of the calls with the same key, the hubs of a fleet execute only one, whichever
// gateways send them, and even if the gateway or hub of the first call has ended.
func TestFleetKeys(t *testing.T) {
	t.Parallel()
	for _, stateless := range []bool{true, false} {
		t.Run("stateless "+itoa(map[bool]int{false: 0, true: 1}[stateless]), func(t *testing.T) {
			t.Parallel()
			at, cfg := startNATS(t), config(t, "")
			one, begunOne := joinHeld(t, at, "one", cfg, stateless, 8)
			alice, bob := userGateway(t, at), userGateway(t, at)
			ctx, cancel := context.WithCancel(kit.Within(t))
			first := keyedCall(ctx, alice, "k", `{"text":"x"}`)
			held := kit.Receive(t, begunOne)

			var e *toolscript.Error
			if o := kit.Receive(t, keyedCall(kit.Within(t), bob, "k", `{"text":"x"}`)); !errors.As(o.err, &e) || e.Kind != toolscript.Conflict || !e.MayRepeat() || e.RetryAfter == 0 {
				t.Errorf("while the first call is in progress: %s, %#v", o.result, o.err)
			}
			cancel() // the client of the first call disconnects
			if o := kit.Receive(t, first); toolscript.SentOf(o.err) != toolscript.SentUnknown {
				t.Errorf("the cancelled call: %s, %v", o.result, o.err)
			}
			held.Done(answerWith("done"), nil)
			again := func(who string, s *actors.System) {
				t.Helper()
				for {
					o := kit.Receive(t, keyedCall(kit.Within(t), s, "k", `{"text":"x"}`))
					if toolscript.KindOf(o.err) == toolscript.Conflict {
						continue // the answer is still being stored
					}
					if got := text(t, o.result, o.err); got != "done" {
						t.Errorf("%s gets %q", who, got)
					}
					return
				}
			}
			again("alice", alice)
			again("bob", bob)

			_, begunTwo := joinHeld(t, at, "two", cfg, stateless, 8)
			one.Close()
			again("bob at the other hub", bob)
			if n := len(begunOne) + len(begunTwo); n != 0 {
				t.Errorf("%d more calls were carried out", n)
			}
		})
	}
}

// TestFleetKeysAtOnce: of many calls at the same time with the same key, only one is executed.
func TestFleetKeysAtOnce(t *testing.T) {
	t.Parallel()
	at, cfg := startNATS(t), config(t, "")
	var mu sync.Mutex
	var effects []string
	for _, name := range []string{"one", "two"} {
		_, begun := joinHeld(t, at, name, cfg, true, 64)
		go func() {
			for {
				select {
				case c := <-begun:
					mu.Lock()
					effects = append(effects, c.Key)
					mu.Unlock()
					c.Done(answerWith(c.Key), nil)
				case <-t.Context().Done():
					return
				}
			}
		}()
	}
	gateways := []*actors.System{userGateway(t, at), userGateway(t, at)}
	var all []<-chan outcome
	for i := range 40 {
		all = append(all, keyedCall(kit.Within(t), gateways[i%2], "k"+itoa(i/8), `{"text":"x"}`))
	}
	for i, c := range all {
		if o := kit.Receive(t, c); o.err == nil && text(t, o.result, nil) != "k"+itoa(i/8) || o.err != nil && toolscript.KindOf(o.err) != toolscript.Conflict {
			t.Errorf("call %d: %s, %v", i, o.result, o.err)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	slices.Sort(effects)
	if want := []string{"k0", "k1", "k2", "k3", "k4"}; !slices.Equal(effects, want) {
		t.Errorf("carried out: %q, want %q", effects, want)
	}
}

// TestFleetKeysWithoutJetStream: a call is not sent if its key cannot be stored.
func TestFleetKeysWithoutJetStream(t *testing.T) {
	at, cfg := startNATSWith(t, &natsserver.Options{}), config(t, "")
	_, begun := joinHeld(t, at, "one", cfg, true, 8)
	o := kit.Receive(t, keyedCall(kit.Within(t), userGateway(t, at), "k", `{"text":"x"}`))
	if toolscript.SentOf(o.err) != toolscript.SentNo || len(begun) != 0 {
		t.Errorf("%s, %v, and %d calls", o.result, o.err, len(begun))
	}
}
