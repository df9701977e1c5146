//go:build linux

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/hub/cluster"
	"github.com/toolscript/toolscript/transport/hub/host"
	"github.com/toolscript/toolscript/transport/hub/wire"
	"github.com/toolscript/toolscript/transport/upstream"
)

// asHub is the argument that makes this program a hub with fake MCP servers. When it reads a line, it
// changes the tools of the first server. It ends with its standard input.
const asHub = "be-a-hub"

// servers are fake MCP servers without processes, whose tools return their arguments.
type servers struct {
	tools int // number of tools of each server

	mu    sync.Mutex
	views map[string]wire.ServerView
	next  map[string]chan struct{} // closed when there is a newer view
}

// description is as long as that of a typical tool.
var description = strings.Repeat("A sentence of the description of a tool. ", 8)

var schema = json.RawMessage(`{"type":"object","properties":{"owner":{"type":"string","description":"The owner of the repository"},` +
	`"repo":{"type":"string","description":"The name of the repository"},"page":{"type":"integer","minimum":1}},"required":["owner","repo"]}`)

// set creates a new view of a server. n is part of the names of its tools.
func (s *servers) set(name string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := wire.ServerView{Status: toolscript.ServerStatus{Name: name, State: toolscript.Ready, Since: time.Now()}}
	for i := range s.tools {
		v.Tools = append(v.Tools, toolscript.Tool{Server: name, Name: fmt.Sprintf("tool_%d_%d", i, n), Description: description, InputSchema: schema})
	}
	changed := make(chan struct{})
	v.Changed = changed
	if before := s.next[name]; before != nil {
		close(before)
	}
	s.views[name], s.next[name] = v, changed
}

// OfferServer implements host.Servers.
func (s *servers) OfferServer(_ context.Context, name string, _ upstream.Config) error {
	s.set(name, 0)
	return nil
}

// WithdrawServer implements host.Servers.
func (s *servers) WithdrawServer(_ context.Context, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.views, name)
	return nil
}

// AwaitServer implements host.Servers.
func (s *servers) AwaitServer(_ context.Context, name string) (toolscript.ServerStatus, error) {
	v, _ := s.ViewServer(name)
	return v.Status, nil
}

// RestartServer implements host.Servers.
func (s *servers) RestartServer(ctx context.Context, name string) (toolscript.ServerStatus, error) {
	return s.AwaitServer(ctx, name)
}

// Reread implements host.Servers.
func (s *servers) Reread(context.Context, string) bool { return false }

// ViewServer implements host.Servers.
func (s *servers) ViewServer(name string) (wire.ServerView, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.views[name]
	return v, ok
}

// CallServer implements host.Servers.
func (s *servers) CallServer(_ string, c wire.ServerCall) (stop func(error)) {
	result := append(append([]byte(`{"content":[],"structuredContent":`), c.Args...), '}')
	go c.Done(result, nil)
	return func(error) {}
}

// serverName returns the name of the i-th fake server.
func serverName(i int) string { return "server" + strconv.Itoa(i) }

// hubSettings are the settings of a hub.
type hubSettings struct {
	Name, URL              string
	Servers, Tools, Leased int
}

// runHub joins a fleet and offers fake servers with tools.
func runHub(h hubSettings) error {
	s := &servers{tools: h.Tools, views: map[string]wire.ServerView{}, next: map[string]chan struct{}{}}
	o := host.FleetOptions{Address: cluster.Address{URL: h.URL}, Host: h.Name, Version: toolscript.Version, Servers: s}
	for i := range h.Servers {
		o.Offers = append(o.Offers, host.Offer{Name: serverName(i), Config: upstream.Config{Type: upstream.Stdio}, Stateless: i < h.Servers-h.Leased})
	}
	f, err := enter(o)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	lines := make(chan struct{})
	go func() {
		defer close(lines)
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			lines <- struct{}{}
		}
	}()
	for n := 1; ; n++ {
		select {
		case _, ok := <-lines:
			if !ok {
				f.Close()
				return nil
			}
			s.set(serverName(0), n)
		case <-f.Lost():
			f.Close()
			if f, err = enter(o); err != nil {
				return err
			}
		}
	}
}

// enter joins the fleet. It waits while the cluster is unreachable or has no leader.
func enter(o host.FleetOptions) (*host.Fleet, error) {
	for {
		f, err := host.Join(context.Background(), o)
		if err == nil || toolscript.KindOf(err) != toolscript.Unavailable {
			return f, err
		}
		time.Sleep(firstRetry)
	}
}
