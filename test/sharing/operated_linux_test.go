package sharing_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/toolscript/toolscript/test/harness"
	"github.com/toolscript/toolscript/transport/hub/cluster"
)

// TestFleetWithoutAGateway: list-servers shows the hosts of the fleet without a gateway, for a
// configuration that has no servers itself.
func TestFleetWithoutAGateway(t *testing.T) {
	n := newNATS(t)
	n.start()
	w := newWorld(t, `{"fleet": {"url": "`+n.url()+`", "use": "*"}}`)
	w.serve(cluster.Address{URL: n.url()}, "one", "count")
	w.serve(cluster.Address{URL: n.url()}, "two", "count")
	if out := w.must("list-servers", "--verbose"); !strings.Contains(out, "count: ready, fleet on one, two, ") {
		t.Errorf("list-servers says %q", out)
	}
}

// TestFleetWrongLease: the log of the hub, status fleet, doctor and the status of a gateway report a
// lease that no hub can take.
func TestFleetWrongLease(t *testing.T) {
	t.Parallel()
	n := newNATS(t)
	n.start()
	nc, err := nats.Connect(n.url())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := cluster.OpenLeases(ctx, js, cluster.LeaseOptions{}); err != nil { // creates the bucket
		t.Fatal(err)
	}
	bucket, err := js.KeyValue(ctx, cluster.DefaultBucket)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bucket.PutString(ctx, "count", "no record"); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, `{"mcpServers": {"count": {"fleet": true}}, "fleet": {"url": "`+n.url()+`"}}`)
	w.hubOfFleet(n.url(), false)
	says := func(text string) bool {
		return strings.Contains(text, "key count of the bucket "+cluster.DefaultBucket) && strings.Contains(text, "toolscript hub release count")
	}
	w.until(func() bool {
		out, _ := w.run("status", "fleet", "--json")
		return says(out)
	})
	if out, _ := w.run("doctor", "--json"); !says(out) { // because of its finding, it ends with an error
		t.Errorf("doctor says %s", out)
	}
	g := w.gateway("a")
	w.await(g, "count", func(s fleetState) bool { return s.State == "backoff" && says(s.Error) })
}

// TestHubMetrics: a hub serves its metrics and its health at the port that the operator configures.
func TestHubMetrics(t *testing.T) {
	n := newNATS(t)
	w := newWorld(t, `{"mcpServers": {}}`)
	path, err := w.Config("servers.json", fmt.Sprintf(`{"mcpServers": {"count": {"command": %q, "args": [%q, "asks"], "stateless": true}}, "fleet": {"url": %q}}`, w.Bin, asServer, n.url()))
	if err != nil {
		t.Fatal(err)
	}
	ports, err := harness.FreePorts(2)
	if err != nil {
		t.Fatal(err)
	}
	for i, args := range [][]string{{"hub", "--serve", path}, {"hub"}} {
		cmd := w.Command(context.WithoutCancel(w.Context()), append(args, "--metrics-port", fmt.Sprint(ports[i]))...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := errors.Join(cmd.Process.Signal(syscall.SIGTERM), cmd.Wait()); err != nil {
				t.Errorf("the hub ended with %v", err)
			}
		})
	}
	get := func(port int, path string) (int, string) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d%s", port, path), nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return 0, ""
		}
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			return 0, ""
		}
		return response.StatusCode, string(body)
	}
	health := func(port, want int) {
		t.Helper()
		w.until(func() bool {
			status, _ := get(port, "/health")
			return status == want
		})
	}
	health(ports[1], http.StatusOK)
	health(ports[0], http.StatusServiceUnavailable) // the hub waits for the NATS server
	n.start()
	health(ports[0], http.StatusOK)
	w.until(func() bool {
		_, text := get(ports[0], "/metrics")
		return strings.Contains(text, `toolscript_server_up{server="count"} 1`)
	})
}
