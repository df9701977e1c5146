//go:build linux

package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"

	"github.com/toolscript/toolscript/test/harness"
)

// link is the way to a node from a machine or another node. Toxics add faults to it.
type link struct {
	*fleet
	api     *toxiproxy.ApiServer
	name    string
	target  int // port of the node
	port    int
	proxy   *toxiproxy.Proxy
	effects []string // names of the active toxics
	breaks  bool     // whether one of them breaks connections
}

// newLink starts a link to a port, which ends with the fleet.
func (f *fleet) newLink(name string, target int) *link {
	f.Helper()
	ports, err := harness.FreePorts(1)
	if err != nil {
		f.Fatal(err)
	}
	l := &link{
		fleet: f, api: toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()),
		name: name, target: target, port: ports[0],
	}
	l.open()
	f.atEnd(func() { l.proxy.Stop() })
	return l
}

// at returns an address on this machine.
func at(port int) string { return net.JoinHostPort(loopback, strconv.Itoa(port)) }

// open starts the proxy of the link.
func (l *link) open() {
	l.Helper()
	l.proxy = toxiproxy.NewProxy(l.api, l.name, at(l.port), at(l.target))
	if err := l.proxy.Start(); err != nil {
		l.Fatal(err)
	}
	l.effects, l.breaks = nil, false
}

// toxic is a fault in the form of toxiproxy's API.
type toxic struct {
	Type       string         `json:"type"`
	Attributes map[string]int `json:"attributes"`
}

// The directions of toxics.
const (
	up   = "upstream"
	down = "downstream"
)

// held keeps bytes until the link is healed. They arrive then, as TCP would repeat them.
var held = toxic{"latency", map[string]int{"latency": int(time.Hour.Milliseconds())}}

// add adds toxics in the given directions.
func (l *link) add(x toxic, streams ...string) {
	l.Helper()
	for _, stream := range streams {
		text, _ := json.Marshal(map[string]any{"type": x.Type, "attributes": x.Attributes, "stream": stream}) // this map always has a JSON form
		w, err := l.proxy.Toxics.AddToxicJson(strings.NewReader(string(text)))
		if err != nil {
			l.Fatalf("%s: toxic %s: %v", l.name, text, err)
		}
		l.effects = append(l.effects, w.Name)
	}
	switch x.Type {
	case "latency", "bandwidth", "slicer":
	default:
		l.breaks = true
	}
}

// cut closes all connections and refuses new ones.
func (l *link) cut() { l.proxy.Stop() }

// heal removes the faults of the link. Connections continue, unless a fault has broken them.
func (l *link) heal() {
	l.Helper()
	if l.breaks || !l.proxy.Enabled {
		l.proxy.Stop()
		l.open()
		return
	}
	for _, name := range l.effects {
		done := make(chan error, 1)
		go func() { done <- l.proxy.Toxics.RemoveToxic(context.Background(), name) }()
		select {
		case err := <-done:
			if err != nil {
				l.Fatalf("%s: %v", l.name, err)
			}
		case <-time.After(bound):
			l.Fatalf("%s: toxiproxy did not remove %s", l.name, name)
		}
	}
	l.effects = nil
}

// url returns the address of the node through the link.
func (l *link) url(user string) string {
	return fmt.Sprintf("tls://%s:%s@%s:%d", user, password, loopback, l.port)
}
