package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/toolscript/toolscript"
)

// servicePrefix begins the names of the micro services of hubs.
const servicePrefix = "toolscript-"

// Service returns the name of the micro service of a server.
func Service(server string) string { return servicePrefix + server }

// Entry is a server that a hub offers. State is set by List if the hub has reported it.
type Entry struct {
	Server    string
	Type      string
	Host      string
	Hub       string // id of the hub
	Version   string // version of the hub's program
	Protocol  int
	Stateless bool
	State     State
}

// State is the state of an offered server.
type State struct {
	Lease    uint64                 `json:"lease,omitempty"`   // the token of the lease that the hub has; 0: none, or the server is stateless
	Standby  bool                   `json:"standby,omitempty"` // the hub waits for the lease of the server, which does not run there
	State    toolscript.ServerState `json:"state"`
	Error    string                 `json:"error,omitempty"`
	Tools    int                    `json:"tools"`
	Gateways int                    `json:"gateways"` // number of gateways that have used the hub in the last five minutes
	InFlight int                    `json:"inFlight"`
	Queued   int                    `json:"queued"`
	Calls    uint64                 `json:"calls"`
	Errors   uint64                 `json:"errors"`
}

// Metadata returns the entry as the metadata of a micro service.
func (e Entry) Metadata() map[string]string {
	return map[string]string{
		"server": e.Server, "type": e.Type, "host": e.Host, "hub": e.Hub, "version": e.Version,
		"protocol": strconv.Itoa(e.Protocol), "stateless": strconv.FormatBool(e.Stateless),
	}
}

func entryOf(m map[string]string) Entry {
	protocol, _ := strconv.Atoi(m["protocol"])        // 0 is no protocol
	stateless, _ := strconv.ParseBool(m["stateless"]) // false is the safe value
	return Entry{
		Server: m["server"], Type: m["type"], Host: m["host"], Hub: m["hub"], Version: m["version"],
		Protocol: protocol, Stateless: stateless,
	}
}

const (
	listTime = 2 * time.Second        // bounds the wait for the answers of all hubs
	listGap  = 300 * time.Millisecond // bounds the wait for another answer after the last one
)

// List asks all hubs of the fleet for their servers. The entries are sorted by server and
// host. Hubs that do not answer in time are missing.
func List(ctx context.Context, nc *nats.Conn) ([]Entry, error) {
	all := []Entry{}
	err := ask(ctx, nc, "$SRV.STATS", nil, func(text []byte) {
		var stats micro.Stats
		if json.Unmarshal(text, &stats) != nil || !strings.HasPrefix(stats.Name, servicePrefix) {
			return
		}
		e := entryOf(stats.Metadata)
		if len(stats.Endpoints) > 0 {
			_ = json.Unmarshal(stats.Endpoints[0].Data, &e.State) // a hub of another version may report none
		}
		all = append(all, e)
	})
	slices.SortFunc(all, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Host, b.Host), cmp.Compare(a.Hub, b.Hub))
	})
	return all, err
}

// ask sends a request to all services and calls f for each answer.
func ask(parent context.Context, nc *nats.Conn, subject string, payload []byte, f func([]byte)) error {
	ctx, cancel := context.WithTimeout(parent, listTime)
	defer cancel()
	inbox := nc.NewRespInbox()
	answers := make(chan *nats.Msg, 64)
	sub, err := nc.Subscribe(inbox, func(m *nats.Msg) { // SubscribeSync takes 512 KB of memory
		select {
		case answers <- m:
		case <-ctx.Done():
		}
	})
	if err != nil {
		return err
	}
	defer func() { _ = sub.Unsubscribe() }() // the connection may have ended
	if err := nc.PublishRequest(subject, inbox, payload); err != nil {
		return err
	}
	gap := time.NewTimer(listTime)
	defer gap.Stop()
	for {
		select {
		case m := <-answers:
			if m.Header.Get("Status") == "503" { // there are no services
				return nil
			}
			f(m.Data)
			gap.Reset(listGap)
		case <-gap.C:
			if !nc.IsConnected() {
				return nats.ErrDisconnected
			}
			return nil
		case <-ctx.Done():
			return parent.Err()
		}
	}
}
