package status

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/cmd/hub"
	"github.com/toolscript/toolscript/transport/api"
	shared "github.com/toolscript/toolscript/transport/hub"
)

// Kind is the kind of an Item.
type Kind string

// The kinds of items.
const (
	KindGateway Kind = "gateway"
	KindHub     Kind = "hub"
	KindServer  Kind = "server" // shared server in the hub

	// Parts of the configured fleet. Look does not return them.
	KindFleet       Kind = "fleet"
	KindFleetServer Kind = "fleet server" // server as one hub offers it
	KindRunners     Kind = "runners"      // runners of one hub
)

// Item is a gateway, the hub, a shared server, or a part of the fleet. It contains no secrets.
type Item struct {
	Kind          Kind     `json:"kind"`
	URL           string   `json:"url,omitempty"`  // URL of a gateway, without its capability
	Name          string   `json:"name,omitempty"` // name of a server in the hub, or addresses of a fleet
	Host          string   `json:"host,omitempty"` // host of a hub of a fleet
	Hub           string   `json:"hub,omitempty"`  // id of a hub of a fleet
	State         string   `json:"state"`
	PID           int      `json:"pid,omitempty"`
	Version       string   `json:"version,omitempty"`
	Session       string   `json:"session,omitempty"`
	Client        int      `json:"client,omitempty"` // process id of the agent that the gateway belongs to
	UptimeSeconds float64  `json:"uptimeSeconds,omitempty"`
	Gateways      int      `json:"gateways"`           // gateways that use the hub or the server
	Ready         int      `json:"ready"`              // connected servers
	Servers       int      `json:"servers"`            // servers of a gateway or the hub
	Runs          int      `json:"runs"`               // runs of a gateway or of runners that have not ended
	Lease         uint64   `json:"lease,omitempty"`    // lease token of a server of a fleet
	InFlight      int      `json:"inFlight"`           // unanswered calls of a server
	Calls         uint64   `json:"calls"`              // calls of a server so far
	MemoryMB      float64  `json:"memoryMb,omitempty"` // private memory of the processes; only on Linux
	Config        []string `json:"config,omitempty"`   // configuration files of a gateway
	Folder        string   `json:"folder,omitempty"`   // folder of the project that a server is for
	Error         string   `json:"error,omitempty"`
	Command       string   `json:"command,omitempty"` // command that removes what is left, or ends what does not answer

	Restart []string `json:"-"` // arguments of the command that restarts the item; nil: there is no such command
	Remove  []string `json:"-"` // arguments of the command that ends the item or removes what is left; nil: there is no such command

	elsewhere  bool   // the process id belongs to another PID namespace
	configured string // name of a server in the configuration of its gateways
	users      []int  // process ids of the gateways that use a server
}

// ID identifies the item in all lists.
func (i Item) ID() string {
	return strings.Join([]string{string(i.Kind), cmp.Or(i.URL, i.Name), i.Host, i.Hub}, "/")
}

// Uses describes how many servers a gateway has, or how many gateways use the hub or a
// server.
func (i Item) Uses() string {
	switch {
	case i.State == discovery.Stale || i.State == discovery.Silent:
		return ""
	case i.Kind == KindGateway:
		return fmt.Sprintf("%d of %d servers", i.Ready, i.Servers)
	case i.Kind == KindFleet && i.Servers == 1:
		return "1 server"
	case i.Kind == KindFleet:
		return fmt.Sprintf("%d servers", i.Servers)
	case i.Kind == KindRunners:
		return ""
	case i.Gateways == 1:
		return "1 gateway"
	default:
		return fmt.Sprintf("%d gateways", i.Gateways)
	}
}

// Active describes how many runs or calls are in progress.
func (i Item) Active() string {
	n, noun := i.InFlight, "call"
	if i.Kind == KindGateway || i.Kind == KindRunners {
		n, noun = i.Runs, "run"
	}
	switch {
	case i.State == discovery.Stale || i.State == discovery.Silent || i.Kind == KindHub || i.Kind == KindFleet:
		return ""
	case n == 1:
		return "1 " + noun
	default:
		return fmt.Sprintf("%d %ss", n, noun)
	}
}

// maxAsked is the number of gateways that are asked at the same time.
const maxAsked = 16

// Look returns the running gateways, the newest first; then those that have ended and left
// files; then the hub of a place, if it is not nil, with its servers by name. Each process has app.HealthTime
// to answer. Nothing is removed. An error means that the runtime folders cannot be used.
func Look(ctx context.Context, places discovery.Places, place *hub.Place) ([]Item, error) {
	running, ended, err := places.Look()
	if err != nil {
		return nil, err
	}
	running = discovery.Serving(running)
	items := make([]Item, len(running), len(running)+len(ended)+1)
	var ofHub []Item
	var failed error
	slots := make(chan struct{}, maxAsked)
	var asked sync.WaitGroup
	if place != nil {
		asked.Go(func() { ofHub, failed = askHub(ctx, *place) })
	}
	for i, e := range running {
		asked.Go(func() {
			slots <- struct{}{}
			items[i] = askGateway(ctx, e)
			<-slots
		})
	}
	asked.Wait()
	if failed != nil {
		return nil, failed
	}
	for _, e := range ended {
		i := itemOf(e, discovery.Stale)
		i.Remove = []string{"gateway", "prune"}
		items = append(items, i)
	}
	items = append(items, ofHub...)
	measure(items)
	for n := range items {
		items[n].finish(items)
	}
	return items, nil
}

// measure sets the private memory of the items: of the process of a gateway or the hub, and of the process group of a
// server.
func measure(items []Item) {
	var leaders []int
	for _, i := range items {
		if i.Kind == KindServer {
			leaders = append(leaders, i.PID)
		}
	}
	groups := hub.GroupMemory(leaders)
	for n := range items {
		i := &items[n]
		switch {
		case i.elsewhere || i.State == discovery.Stale || i.PID == 0:
		case i.Kind == KindServer:
			i.MemoryMB = groups[i.PID]
		default:
			i.MemoryMB = hub.Memory(i.PID)
		}
	}
}

// finish sets the fields that depend on other fields and items.
func (i *Item) finish(all []Item) {
	if i.State == discovery.Stale || i.State == discovery.Silent {
		i.Command = toolscript.Command(i.Remove...)
	}
	user := slices.IndexFunc(all, func(g Item) bool {
		return g.Kind == KindGateway && g.State == discovery.Alive && slices.Contains(i.users, g.PID)
	})
	if user >= 0 { // any gateway that uses a server can restart it for all
		i.Restart = []string{"servers", "restart", i.configured, "-g", all[user].URL}
	}
}

func itemOf(e discovery.Entry, state string) Item {
	i := Item{Kind: KindGateway, URL: e.Address(), State: state, PID: e.PID, Version: e.Version, Session: e.Session, Config: e.Config, elsewhere: !e.Here()}
	if e.Client != nil {
		i.Client = e.Client.PID
	}
	return i
}

// askGateway returns the item of a gateway, with the state that the gateway reports.
func askGateway(ctx context.Context, e discovery.Entry) Item {
	ctx, cancel := context.WithTimeout(ctx, app.HealthTime)
	defer cancel()
	i := itemOf(e, discovery.Alive)
	i.Restart, i.Remove = []string{"gateway", "restart", "-g", i.URL}, []string{"gateway", "stop", "-g", i.URL}
	client := api.NewClient(e.URL)
	defer client.Close()
	status, err := client.Status(ctx)
	var runs []toolscript.RunRecord
	if err == nil {
		runs, err = client.Runs(ctx)
	}
	if err != nil {
		i.State, i.Error = discovery.Silent, err.Error()
		return i
	}
	i.UptimeSeconds, i.Servers = status.UptimeSeconds, len(status.Servers)
	for _, s := range status.Servers {
		if s.Serves() {
			i.Ready++
		}
	}
	for _, run := range runs {
		if run.EndedAt == nil {
			i.Runs++
		}
	}
	return i
}

// askHub returns the hub of a place and its servers, or nil if no hub is running.
func askHub(ctx context.Context, place hub.Place) ([]Item, error) {
	e, running, err := place.Read()
	if err != nil || !running {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, app.HealthTime)
	defer cancel()
	h := Item{Kind: KindHub, State: discovery.Alive, PID: e.PID, Version: e.Version, UptimeSeconds: time.Since(e.StartedAt).Seconds(), Remove: []string{"hub", "stop"}}
	var status shared.Status
	r, err := place.Running(ctx)
	if err == nil && r != nil {
		status, err = r.Query(ctx)
	}
	if _, still, readErr := place.Read(); readErr != nil || !still {
		return nil, readErr // it has ended meanwhile
	}
	if err != nil {
		h.State, h.Error = discovery.Silent, err.Error()
		return []Item{h}, nil
	}
	h.Gateways, h.Servers = len(status.Gateways), len(status.Servers)
	items := []Item{h}
	for _, s := range status.Servers {
		if s.Status.Serves() {
			items[0].Ready++
		}
		items = append(items, serverItem(s, status.Gateways))
	}
	return items, nil
}

func serverItem(s shared.Server, gateways []shared.Gateway) Item {
	i := Item{
		Kind: KindServer, Name: s.Name, State: string(s.Status.State), PID: s.Status.PID, Gateways: s.Gateways,
		InFlight: s.Status.InFlight, Calls: s.Calls, Folder: s.Folder, Error: s.Status.Error, configured: s.Configured(),
	}
	if s.Status.State == toolscript.Ready {
		i.UptimeSeconds = time.Since(s.Status.Since).Seconds()
	}
	for _, g := range gateways {
		if slices.Contains(g.Servers, s.Name) {
			i.users = append(i.users, g.PID)
		}
	}
	return i
}
