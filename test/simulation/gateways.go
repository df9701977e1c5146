//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolscript/toolscript/transport/hub"
	"github.com/toolscript/toolscript/transport/hub/cluster"
	"github.com/toolscript/toolscript/transport/upstream"
)

// gateways holds the connections of simulated gateways to a fleet. Nothing else of a gateway is simulated.
type gateways struct {
	all     []*gateway
	listed  atomic.Int64 // number of tool lists received after a change
	ready   atomic.Int64 // number of connections to servers that are up
	redials atomic.Int64
	ctx     context.Context //nolint:containedctx // it ends the gateways
	work    sync.WaitGroup
}

// gateway is one simulated gateway.
type gateway struct {
	fleet *hub.Fleet

	mu    sync.Mutex
	conns []*hub.FleetConn // by server; nil: not connected
}

// join starts n gateways that use all servers, at most atOnce at a time.
func join(ctx context.Context, url string, n, servers, atOnce int) *gateways {
	g := &gateways{ctx: ctx}
	turn := make(chan struct{}, atOnce)
	for range n {
		one := &gateway{conns: make([]*hub.FleetConn, servers)}
		one.fleet = hub.NewFleet(hub.FleetOptions{Address: func() cluster.Address { return cluster.Address{URL: url} }})
		g.all = append(g.all, one)
		turn <- struct{}{}
		g.work.Go(func() {
			var up sync.WaitGroup
			for i := range servers {
				up.Add(1)
				first := sync.OnceFunc(up.Done)
				g.work.Go(func() { g.keep(one, i, first) })
			}
			up.Wait()
			<-turn
		})
	}
	return g
}

// Backoff of a gateway, the same as in the actors of servers.
const (
	firstRetry = 500 * time.Millisecond
	lastRetry  = 30 * time.Second
)

// healthInterval is the same as in the actors of servers.
const healthInterval = 30 * time.Second

// keep keeps a connection to a server until the gateways end. It calls up when the connection is up for
// the first time.
func (g *gateways) keep(one *gateway, server int, up func()) {
	wait := firstRetry
	for g.ctx.Err() == nil {
		c, err := one.fleet.Dial(g.ctx, serverName(server), upstream.Config{}, upstream.Events{ToolsChanged: func() { go g.relist(one, server) }})
		if err == nil {
			_, err = c.ListTools(g.ctx)
		}
		if err != nil {
			g.redials.Add(1)
			g.pause(time.Duration(float64(wait) * (0.5 + rand.Float64())))
			wait = min(2*wait, lastRetry)
			continue
		}
		wait = firstRetry
		one.set(server, c)
		g.ready.Add(1)
		up()
		g.watch(c)
		g.ready.Add(-1)
		one.set(server, nil)
		_ = c.Close() // it was lost, or the gateway ends
	}
	up()
}

// watch pings the server at intervals until the connection is lost or the gateways end.
func (g *gateways) watch(c *hub.FleetConn) {
	health := time.NewTimer(rand.N(healthInterval))
	defer health.Stop()
	for {
		select {
		case <-c.Lost():
			return
		case <-g.ctx.Done():
			return
		case <-health.C:
			_ = c.Ping(g.ctx) // an actor would count failures
			health.Reset(healthInterval)
		}
	}
}

func (g *gateways) pause(d time.Duration) {
	select {
	case <-time.After(d):
	case <-g.ctx.Done():
	}
}

func (one *gateway) set(server int, c *hub.FleetConn) {
	one.mu.Lock()
	defer one.mu.Unlock()
	one.conns[server] = c
}

func (one *gateway) conn(server int) *hub.FleetConn {
	one.mu.Lock()
	defer one.mu.Unlock()
	return one.conns[server]
}

// relist reads the list of tools after a change.
func (g *gateways) relist(one *gateway, server int) {
	c := one.conn(server)
	if c == nil {
		return
	}
	if _, err := c.ListTools(g.ctx); err == nil {
		g.listed.Add(1)
	}
}

// call makes one call and returns its duration.
func (g *gateways) call() (time.Duration, error) {
	one := g.all[rand.IntN(len(g.all))]
	c := one.conn(rand.IntN(len(one.conns)))
	if c == nil {
		return 0, fmt.Errorf("a server is not connected")
	}
	begun := time.Now()
	done := make(chan error, 1)
	c.Start(upstream.ToolCall{Ctx: g.ctx, Tool: "tool_0_0", Args: json.RawMessage(`{"owner":"a","repo":"b","page":1}`), Done: func(_ json.RawMessage, err error) { done <- err }})
	err := <-done
	return time.Since(begun), err
}

// close ends all gateways.
func (g *gateways) close() {
	g.work.Wait()
	for _, one := range g.all {
		one.fleet.Close()
	}
}
