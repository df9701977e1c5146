package host_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/nats-io/nats.go"
	"github.com/rs/zerolog"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/hub"
	"github.com/toolscript/toolscript/transport/hub/cluster"
	"github.com/toolscript/toolscript/transport/hub/wire"
	"github.com/toolscript/toolscript/transport/upstream"
)

// proxied starts a proxy in front of a NATS server and returns its address.
func proxied(t *testing.T, at cluster.Address) (cluster.Address, *toxiproxy.Proxy) {
	t.Helper()
	to, err := url.Parse(at.URL)
	if err != nil {
		t.Fatal(err)
	}
	p := toxiproxy.NewProxy(toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()), t.Name(), "127.0.0.1:0", to.Host)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	at.URL = "nats://" + p.Listen
	return at, p
}

// slowly starts a proxy in front of a NATS server that passes rate KB/s in each direction, and
// returns its address.
func slowly(t *testing.T, at cluster.Address, rate int) cluster.Address {
	t.Helper()
	at, p := proxied(t, at)
	limit(t, p, rate)
	return at
}

// limit limits a proxy to rate KB/s in each direction.
func limit(t *testing.T, p *toxiproxy.Proxy, rate int) {
	t.Helper()
	for _, stream := range []string{"upstream", "downstream"} {
		toxic := fmt.Sprintf(`{"type": "bandwidth", "name": %q, "stream": %q, "attributes": {"rate": %d}}`, stream, stream, rate)
		if _, err := p.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
			t.Fatal(err)
		}
	}
}

// fleetOf connects to a fleet as a gateway without actors does.
func fleetOf(t *testing.T, at cluster.Address) *hub.Fleet {
	t.Helper()
	f := hub.NewFleet(hub.FleetOptions{Address: func() cluster.Address { return at }})
	t.Cleanup(f.Close)
	return f
}

// dialFleet connects to the server srv without a gateway.
func dialFleet(t *testing.T, at cluster.Address) *hub.FleetConn {
	t.Helper()
	c, err := fleetOf(t, at).Dial(kit.Within(t), "srv", upstream.Config{}, upstream.Events{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// slowSize is the size in bytes of the messages that are sent over slow connections.
const slowSize = 1_500_000

// callOn makes a call on a connection.
func callOn(t *testing.T, c *hub.FleetConn, tool, args string) (json.RawMessage, error) {
	t.Helper()
	over := make(chan outcome, 1)
	c.Start(upstream.ToolCall{Ctx: kit.Within(t), Tool: tool, Args: json.RawMessage(args), Done: func(result json.RawMessage, err error) { over <- outcome{result, err} }})
	o := <-over
	return o.result, o.err
}

// TestSlowConnection checks that large answers and arguments arrive over connections that need far
// longer for them than the time for which a hub may be silent.
func TestSlowConnection(t *testing.T) {
	cfg := config(t, "")
	for _, tt := range []struct {
		name         string
		gateway, hub int // KB/s; 0 if fast
		calls        int
		tool, args   string
	}{
		{"answer", 150, 0, 1, "big", fmt.Sprintf(`{"bytes":%d}`, slowSize)},
		{"answer of a slow hub", 0, 150, 1, "big", fmt.Sprintf(`{"bytes":%d}`, slowSize)},
		{"arguments", 150, 0, 1, "args", `{"text":"` + strings.Repeat("x", slowSize) + `"}`},
		{"arguments for a slow hub", 0, 150, 1, "args", `{"text":"` + strings.Repeat("x", slowSize) + `"}`},
		{"eight answers", 1000, 0, 8, "big", fmt.Sprintf(`{"bytes":%d}`, slowSize)},
		{"eight answers of a slow hub", 0, 1000, 8, "big", fmt.Sprintf(`{"bytes":%d}`, slowSize)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if testing.Short() && (tt.gateway > 0 || tt.tool == "big" && tt.calls == 1) {
				t.Skip("it takes ten seconds")
			}
			t.Parallel()
			at := startNATS(t)
			side := func(rate int) cluster.Address {
				if rate == 0 {
					return at
				}
				return slowly(t, at, rate)
			}
			mustJoin(t, side(tt.hub), "one", cfg, true)
			c := dialFleet(t, side(tt.gateway))
			var all sync.WaitGroup
			for range tt.calls {
				all.Go(func() {
					result, err := callOn(t, c, tt.tool, tt.args)
					if err != nil {
						t.Errorf("call: %v", err)
					} else if tt.tool == "big" && len(result) < slowSize {
						t.Errorf("the answer has %d bytes", len(result))
					}
				})
			}
			all.Wait()
		})
	}
}

// TestAnswerAnnouncedTwice: an answer that a hub announces twice ends its call, whether or not its memory was taken.
func TestAnswerAnnouncedTwice(t *testing.T) {
	at := startNATS(t)
	nc, err := nats.Connect(at.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	id := wire.NewID()
	taken, _ := json.Marshal(wire.Taker{Hub: id, Host: "one"})
	offered, _ := json.Marshal(wire.Offered{Server: "srv", Token: wire.Anyone})
	answers := map[string][][2]string{
		wire.Open:   {{wire.Done, string(offered)}},
		wire.Invoke: {{wire.Taken, string(taken)}, {wire.Large, "100000"}, {wire.Large, "100000"}},
	}
	if _, err := nc.Subscribe(wire.FleetHub(id), func(*nats.Msg) {}); err != nil {
		t.Fatal(err)
	}
	for verb, events := range answers {
		_, err := nc.Subscribe(wire.FleetServer("srv", verb, wire.Anyone), func(m *nats.Msg) {
			for _, e := range events {
				_ = nc.Publish(m.Reply+"."+e[0], []byte(e[1])) // without it, the call does not end
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	_, err = callOn(t, dialFleet(t, at), "echo", `{}`)
	kindIs(t, err, toolscript.Internal, "the answer of the hub cannot be read")
}
