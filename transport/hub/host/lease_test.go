package host_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/hub/cluster"
)

// TestWrongRecord: if a lease record is invalid, the list of the fleet and the status of a gateway name
// the key, the host and a command that helps. The server starts after the record was released.
func TestWrongRecord(t *testing.T) {
	for name, record := range map[string]string{
		"unreadable":    `{{`,
		"no lease":      `{"owner": "me"}`,
		"never renewed": `{"owner": "another program", "session": "x", "ttl": ` + itoa(int(time.Hour)) + `}`,
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "never renewed" {
				t.Skip("it takes 13 seconds")
			}
			t.Parallel()
			at, cfg := startNATS(t), config(t, "")
			nc, err := nats.Connect(at.URL)
			if err != nil {
				t.Fatal(err)
			}
			defer nc.Close()
			js, err := jetstream.New(nc)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := cluster.OpenLeases(kit.Within(t), js, cluster.LeaseOptions{}); err != nil { // creates the bucket
				t.Fatal(err)
			}
			bucket, err := js.KeyValue(kit.Within(t), cluster.DefaultBucket)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := bucket.PutString(kit.Within(t), "srv", record); err != nil {
				t.Fatal(err)
			}
			mustJoin(t, at, "one", cfg, false)
			says := func(text string) bool {
				for _, part := range []string{"key srv of the bucket toolscript-leases", "on one", "toolscript hub release srv"} {
					if !strings.Contains(text, part) {
						return false
					}
				}
				return true
			}
			kit.Eventually(t, "the list of the fleet says why", func() bool { return says(list(t, at)[0].State.Error) })
			s := fleetGateway(t, at, cfg)
			status := awaitState(t, s, toolscript.Backoff)
			if !says(status.Error) {
				t.Errorf("the status of the gateway says %q", status.Error)
			}
			r, err := cluster.Release(kit.Within(t), at, "srv")
			if err != nil || !r.Cleared.Found {
				t.Fatalf("released: %+v, %v", r, err)
			}
			if r, err := cluster.Release(kit.Within(t), at, "another"); err != nil || r.Host != "" || r.Cleared.Found {
				t.Errorf("a server without a lease: %+v, %v", r, err)
			}
			ready(t, s)
			if e := owner(t, at); e.State.Error != "" {
				t.Errorf("the list of the fleet still says %q", e.State.Error)
			}
		})
	}
}
