//go:build linux

package fleet

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// bucket is the name of the bucket of leases.
const bucket = "toolscript-leases"

func unreadableLease(r *trial) { r.badLease("not a lease") }

func foreignLease(r *trial) {
	r.badLease(fmt.Sprintf(`{"owner":"elsewhere","session":"forged","ttl":%d}`, time.Hour))
}

// badLease replaces the record of the lease by a text, and checks that the program reports and repairs it.
func (r *trial) badLease(text string) {
	nc := r.cluster.connect()
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		r.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(r.Context(), bound)
	defer cancel()
	leases, err := js.KeyValue(ctx, bucket)
	if err != nil {
		r.Fatal(err)
	}
	r.at = time.Now()
	if _, err := leases.Put(ctx, owned, []byte(text)); err != nil {
		r.Fatal(err)
	}
	r.hold(6 * time.Second) // longer than the owner's lease
	const remedy = "toolscript hub release " + owned
	status, err := r.command("status", "fleet")
	if err != nil {
		r.Errorf("status fleet: %v", err)
	}
	for _, want := range []string{bucket, remedy} {
		if !strings.Contains(status, want) {
			r.Errorf("status fleet does not say %q:\n%s", want, status)
		}
	}
	if !strings.Contains(r.log(r.hubs[0])+r.log(r.hubs[1]), remedy) {
		r.Errorf("no log of a hub says %q", remedy)
	}
	if out, err := r.command("hub", "release", owned); err != nil {
		r.Errorf("hub release: %v\n%s", err, out)
		if err := leases.Delete(ctx, owned); err != nil { // so that other faults can be tried
			r.Fatal(err)
		}
	}
}

// command runs a command of the program at the first desk and returns its output.
func (r *trial) command(args ...string) (string, error) {
	out, err := r.desks[0].Command(context.WithoutCancel(r.Context()), args...).CombinedOutput()
	return string(out), err
}

// forged are the payloads of the forged messages.
var forged = []string{"", "not JSON", "{}", "null", "[]", `{"id":7,"tool":[]}`, "\x00\xff\xfe", strings.Repeat("[", 10_000), strings.Repeat("x", 100_000)}

// forgedMessages sends forged payloads to the subjects that the fleet uses. On subjects of gateways it
// uses the ids of requests that do not exist, because a forged answer would be accepted.
func forgedMessages(r *trial) {
	nc := r.cluster.connect()
	defer nc.Close()
	seen := map[string]bool{}
	var mu sync.Mutex
	sub, err := nc.Subscribe("toolscript.>", func(m *nats.Msg) {
		mu.Lock()
		defer mu.Unlock()
		seen[m.Subject] = true
	})
	if err != nil {
		r.Fatal(err)
	}
	r.hold(3 * time.Second)
	if err := sub.Unsubscribe(); err != nil {
		r.Fatal(err)
	}
	mu.Lock()
	subjects := slices.Sorted(maps.Keys(seen))
	mu.Unlock()
	if len(subjects) == 0 {
		r.Fatal("the fleet has sent nothing")
	}
	const most = 300
	for i, subject := range subjects[:min(len(subjects), most)] {
		if token := strings.Split(subject, "."); token[1] == "gateway" && len(token) > 5 {
			token[4] = "9" + token[4] + "000" // a request id that does not exist
			subject = strings.Join(token, ".")
		}
		m := &nats.Msg{Subject: subject, Reply: "toolscript.gateway.gateway.00000000000000000000000000000000.1", Data: []byte(forged[i%len(forged)])}
		if err := nc.PublishMsg(m); err != nil {
			r.Fatal(err)
		}
	}
	if err := nc.FlushTimeout(bound); err != nil {
		r.Fatal(err)
	}
}
