package hub_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"testing"

	natsserver "github.com/nats-io/nats-server/v2/server"

	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/daemon"
	"github.com/toolscript/toolscript/cmd/hub"
	"github.com/toolscript/toolscript/test/fixture/natstest"
	"github.com/toolscript/toolscript/test/harness"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/hub/cluster"
	"github.com/toolscript/toolscript/transport/upstream"
)

// logged is a log that reports the first line with a text.
type logged struct {
	text string
	seen chan struct{}
}

func (l *logged) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte(l.text)) {
		select {
		case l.seen <- struct{}{}:
		default:
		}
	}
	return len(line), nil
}

// serve runs a hub with a stateless server until stop is called.
func serve(t *testing.T, at cluster.Address, log *logged) (ready chan hub.Joined, ended chan error, stop func()) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	env := func(name string) (string, bool) {
		return map[string]string{"HOME": data, "TOOLSCRIPT_DATA_DIR": data}[name], name == "HOME" || name == "TOOLSCRIPT_DATA_DIR"
	}
	ready, ended = make(chan hub.Joined, 1), make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	go func() {
		ended <- hub.ServeFleet(ctx, hub.FleetOptions{
			Host: &daemon.Host{Config: config.Options{LookupEnv: env, WorkDir: data}, Warn: t.Logf},
			Read: func() (hub.FleetSettings, error) {
				return hub.FleetSettings{Address: at, Servers: map[string]upstream.Config{
					"github": {Type: upstream.Stdio, Command: self, Args: []string{asServer, "asks"}, Stateless: true},
				}}, nil
			},
			Ready:  func(j hub.Joined) error { ready <- j; return nil },
			Logger: slog.New(slog.NewTextHandler(log, nil)),
		})
	}()
	return ready, ended, cancel
}

// TestServeWaits checks that a hub that starts before the NATS server waits for that server.
func TestServeWaits(t *testing.T) {
	ports, err := harness.FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	at := cluster.Address{URL: "nats://127.0.0.1:" + strconv.Itoa(ports[0])}
	log := &logged{"the hub tries again", make(chan struct{}, 1)}
	ready, ended, stop := serve(t, at, log)
	select {
	case <-log.seen:
	case err := <-ended:
		t.Fatalf("the hub has ended: %v", err)
	case <-kit.Within(t).Done():
		t.Fatal("the hub does not say that it waits")
	}
	natstest.Start(t, &natsserver.Options{Port: ports[0]})
	select {
	case j := <-ready:
		if len(j.Servers) != 1 {
			t.Errorf("joined with %+v", j)
		}
	case err := <-ended:
		t.Fatalf("the hub has ended: %v", err)
	case <-kit.Within(t).Done():
		t.Fatal("the hub does not join")
	}
	if err := call(t, at, "github"); err != nil {
		t.Errorf("a call: %v", err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("the hub ends with: %v", err)
	}
}

// TestServeRefused checks that a hub ends at the start if the cluster refuses its credentials.
func TestServeRefused(t *testing.T) {
	address := natstest.Start(t, &natsserver.Options{Username: "hub", Password: password}).Addr().String()
	_, ended, _ := serve(t, cluster.Address{URL: "nats://hub:wrong@" + address}, &logged{"", make(chan struct{}, 1)})
	select {
	case err := <-ended:
		if err == nil || !strings.Contains(err.Error(), "refuses the credentials") {
			t.Errorf("the hub ends with: %v", err)
		}
	case <-kit.Within(t).Done():
		t.Fatal("the hub does not end")
	}
}
