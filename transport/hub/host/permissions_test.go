package host_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/hub"
	"github.com/toolscript/toolscript/transport/hub/wire"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestHandshake checks which gateways may connect.
func TestHandshake(t *testing.T) {
	r := startHub(t, nil)
	if info, err := hub.Probe(kit.Within(t), r.endpoint()); err != nil || info.Version != "test" || info.Protocol != hub.Protocol || info.PID != os.Getpid() {
		t.Errorf("info %+v, %v", info, err)
	}
	wrong := r.endpoint()
	wrong.Token = "another"
	if _, err := hub.Query(kit.Within(t), wrong); err == nil || !strings.Contains(err.Error(), "token") {
		t.Errorf("a query with a wrong token: %v", err)
	}
	c := hub.NewClient(hub.ClientOptions{Find: func(context.Context) (hub.Endpoint, error) { return wrong, nil }})
	if _, err := c.Dial(kit.Within(t), "srv", config(t, upstream.SharedHost), upstream.Events{}); err == nil || !strings.Contains(err.Error(), "token") {
		t.Errorf("a gateway with a wrong token: %v", err)
	}
}

// raw connects to the NATS server of the hub like a gateway that violates the protocol.
func raw(t *testing.T, r *hubRig, id string, errs chan<- error) *nats.Conn {
	t.Helper()
	conn, err := r.endpoint().Dial(kit.Within(t))
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(conn)
	var info wire.HubInfo
	var answer wire.ConnectAnswer
	read := func(into any) {
		line, err := lines.ReadBytes('\n')
		if err == nil {
			err = json.Unmarshal(line, into)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	read(&info)
	request, _ := json.Marshal(wire.ConnectRequest{Protocol: info.Protocol, ID: id, Token: token})
	if _, err := conn.Write(append(request, '\n')); err != nil {
		t.Fatal(err)
	}
	read(&answer)
	if answer.Error != "" {
		t.Fatal(answer.Error)
	}
	nc, err := nats.Connect("nats://hub", nats.UserInfo(id, answer.Password), nats.SetCustomDialer(existing{&buffered{conn, lines}}), nats.NoReconnect(),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { errs <- err }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// buffered is a connection of which a part is already read.
type buffered struct {
	net.Conn
	lines *bufio.Reader
}

func (b *buffered) Read(p []byte) (int, error) { return b.lines.Read(p) }

type existing struct{ conn net.Conn }

func (e existing) Dial(string, string) (net.Conn, error) { return e.conn, nil }

// TestPermissions checks what the NATS server allows a gateway to do.
func TestPermissions(t *testing.T) {
	r := startHub(t, nil)
	id, other := strings.Repeat("ab", 16), strings.Repeat("cd", 16)
	errs := make(chan error, 10)
	nc := raw(t, r, id, errs)
	for _, subject := range []string{"gateway." + other + ".>", "gateway.*.>", ">", "hub.>", wire.HostNames("*").Hub(wire.Offer, ""), wire.ServerSubject("*", "*"), "$SRV.PING"} {
		if _, err := nc.SubscribeSync(subject); err != nil {
			t.Fatal(err)
		}
		_ = nc.Flush()
		if err := <-errs; !errors.Is(err, nats.ErrPermissionViolation) {
			t.Errorf("subscription to %s: %v", subject, err)
		}
	}
	for _, subject := range []string{"gateway." + other + ".1.done", "gateway." + id + ".1.done", wire.HostNames(other).Hub(wire.Offer, ""), wire.ServerSubject(strings.Repeat("0", 32), other), "$SRV.PING"} {
		if err := nc.Publish(subject, nil); err != nil {
			t.Fatal(err)
		}
		_ = nc.Flush()
		if err := <-errs; !errors.Is(err, nats.ErrPermissionViolation) {
			t.Errorf("message to %s: %v", subject, err)
		}
	}
	for _, subject := range []string{"gateway." + id + ".>", wire.CatalogSubject("*")} {
		if _, err := nc.SubscribeSync(subject); err != nil {
			t.Fatal(err)
		}
	}
	// A refused subscription fails the connection before the answer to the next message.
	if err := nc.Publish(wire.HostNames(other).Hub(wire.Offer, ""), nil); err != nil {
		t.Fatal(err)
	}
	_ = nc.Flush()
	if err := <-errs; !strings.Contains(err.Error(), "Publish") {
		t.Errorf("own subjects: %v", err)
	}
	// A gateway can use only servers that it has offered, and only its own reply subjects.
	answers, err := nc.SubscribeSync("gateway." + id + ".>")
	if err != nil {
		t.Fatal(err)
	}
	cfg := config(t, upstream.SharedHost)
	s := r.gateway(r.client(nil), cfg)
	ready(t, s)
	key := r.host.Status().Servers[0].Key
	head := nats.Header{wire.CallHeader: {wire.Call{Tool: "echo"}.Encode()}}
	for _, reply := range []string{"gateway." + other + ".1", "gateway." + id + ".7"} {
		if err := nc.PublishMsg(&nats.Msg{Subject: wire.ServerSubject(key, id), Reply: reply, Header: head}); err != nil {
			t.Fatal(err)
		}
	}
	m, err := answers.NextMsg(kit.Patience)
	if err != nil || m.Subject != "gateway."+id+".7.failed" || !strings.Contains(string(m.Data), "not_found") {
		t.Errorf("a call of a server that was not offered: %+v, %v", m, err)
	}
}

// TestOfferedTwice: a gateway that uses the number of an offer again does not keep the first server in use after its end.
func TestOfferedTwice(t *testing.T) {
	r := startHub(t, nil)
	id := strings.Repeat("ab", 16)
	nc := raw(t, r, id, make(chan error, 10))
	names := wire.HostNames(id)
	for _, args := range []string{"one", "two"} {
		d := wire.Define("srv", config(t, upstream.SharedHost, "text="+args), "", nil)
		if err := nc.PublishRequest(names.Hub(wire.Offer, ""), names.Reply(1), d.Encode(0)); err != nil {
			t.Fatal(err)
		}
	}
	used := func() (n int) {
		for _, s := range r.host.Status().Servers {
			n += s.Gateways
		}
		return n
	}
	kit.Eventually(t, "a server is used", func() bool { return used() > 0 })
	nc.Close()
	kit.Eventually(t, "no server is used", func() bool { return used() == 0 })
}
