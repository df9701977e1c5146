package host_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	natsserver "github.com/nats-io/nats-server/v2/server"

	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/hub/cluster"
)

// centreConfig and leafConfig are the configurations of docs/scale.md, with users, and with ports
// for the test.
const (
	centreConfig = `
accounts { toolscript { jetstream: enabled, users: [ { user: u, password: p } ] } }
jetstream { domain: fleet, store_dir: %q }
leafnodes { host: 127.0.0.1, port: -1, authorization { user: office, password: secret, account: toolscript } }
`
	leafConfig = `
accounts { toolscript { users: [ { user: u, password: p } ] } }
default_js_domain { toolscript: fleet }
leafnodes { remotes [ { url: "nats://office:secret@127.0.0.1:%d", account: toolscript } ] }
`
)

// startConfigured starts a NATS server with a configuration.
func startConfigured(t *testing.T, name, text string) (cluster.Address, *natsserver.Options) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+".conf")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o, err := natsserver.ProcessConfigFile(path)
	if err != nil {
		t.Fatal(err)
	}
	o.ServerName = name
	at := startNATSWith(t, o)
	at.URL = strings.Replace(at.URL, "nats://", "nats://u:p@", 1)
	return at, o
}

// TestLeafNode: gateways and hubs at a leaf node use the fleet of the cluster behind it. The leaf
// node has no JetStream, so lease requests of its hubs reach that of the cluster.
func TestLeafNode(t *testing.T) {
	centre, o := startConfigured(t, "centre", fmt.Sprintf(centreConfig, t.TempDir()))
	leaf, _ := startConfigured(t, "office", fmt.Sprintf(leafConfig, o.LeafNode.Port))
	cfg := config(t, "")
	for _, stateless := range []bool{true, false} {
		for name, sides := range map[string]struct{ hub, gateway cluster.Address }{
			"the gateway at the leaf": {centre, leaf}, "the hub at the leaf": {leaf, centre},
		} {
			t.Run(fmt.Sprintf("%s, stateless %t", name, stateless), func(t *testing.T) {
				var h *fleetHub
				kit.Eventually(t, "the hub has joined", func() (joined bool) {
					var err error
					h, err = joinFleet(t, sides.hub, "one", cfg, stateless) // may fail while the leaf node is not yet connected
					return err == nil
				})
				defer h.Close()
				s := fleetGateway(t, sides.gateway, cfg)
				ready(t, s)
				if _, err := processOf(s); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
