//go:build linux

// Command simulation runs the connections of many gateways to a fleet. A NATS cluster of three nodes and
// the hubs, whose MCP servers are fake, run as processes. It prints what a gateway and a server cost,
// from which docs/scale.md computes larger fleets.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolscript/toolscript/test/harness"
)

// sizes holds the values of the flags.
type sizes struct {
	gateways, servers, leased, tools, hubs, calls, atOnce int
	idle                                                  time.Duration
}

func main() {
	if role(os.Args) {
		return
	}
	var s sizes
	flag.IntVar(&s.gateways, "gateways", 2000, "number of gateways")
	flag.IntVar(&s.servers, "servers", 10, "servers that each gateway uses and each hub offers")
	flag.IntVar(&s.leased, "leased", 0, "how many of them have one owner, by a lease")
	flag.IntVar(&s.tools, "tools", 30, "tools of each server")
	flag.IntVar(&s.hubs, "hubs", 3, "number of hubs")
	flag.IntVar(&s.calls, "calls", 50000, "number of calls")
	flag.IntVar(&s.atOnce, "at-once", 64, "gateways that start at a time, and calls in flight")
	flag.DurationVar(&s.idle, "idle", 30*time.Second, "how long nothing happens")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	fail(run(ctx, s, os.Stdout))
}

// role runs a NATS server or a hub if the arguments say so, and otherwise returns false.
func role(args []string) bool {
	switch {
	case len(args) == 3 && args[1] == asNode:
		perform(args[2], runNode)
	case len(args) == 3 && args[1] == asHub:
		perform(args[2], runHub)
	default:
		return false
	}
	return true
}

// perform runs a role with its settings in JSON.
func perform[T any](text string, run func(T) error) {
	var settings T
	err := json.Unmarshal([]byte(text), &settings)
	if err == nil {
		err = run(settings)
	}
	fail(err)
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "simulation:", err)
		os.Exit(1)
	}
}

// fleet holds what runs outside of this process.
type fleet struct {
	out         io.Writer
	nodes, hubs []*process
	url         string
}

const nodes = 3

func run(ctx context.Context, s sizes, out io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "simulation")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // a temporary folder
	f := &fleet{out: out}
	defer f.kill()
	if err := f.start(ctx, dir, s); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	f.print("%d gateways, %d servers with %d tools (%d of them with one owner), %d hubs, %d NATS servers\n", s.gateways, s.servers, s.tools, s.leased, s.hubs, nodes)
	g, err := f.joined(ctx, s)
	if err != nil {
		return err
	}
	defer g.close()
	defer stop()
	for _, step := range []func(context.Context, *gateways, sizes) error{f.idle, f.called, f.changed, f.lostHub, f.lostNode} {
		if err := step(ctx, g, s); err != nil {
			return err
		}
	}
	return nil
}

// start starts the nodes and the hubs as processes.
func (f *fleet) start(ctx context.Context, dir string, s sizes) error {
	ports, err := harness.FreePorts(3 * nodes)
	if err != nil {
		return err
	}
	var routes []int
	var urls []string
	for i := range nodes {
		routes = append(routes, ports[3*i+1])
		urls = append(urls, fmt.Sprintf("nats://%s:%d", loopback, ports[3*i]))
	}
	f.url = strings.Join(urls, ",")
	for i := range nodes {
		name := fmt.Sprint("n", i)
		a := nodeSettings{name, ports[3*i], ports[3*i+1], ports[3*i+2], routes, filepath.Join(dir, name)}
		p, err := start(ctx, asNode, a)
		if err != nil {
			return err
		}
		p.monitor = a.Monitor
		f.nodes = append(f.nodes, p)
	}
	for i := range s.hubs {
		p, err := start(ctx, asHub, hubSettings{fmt.Sprint("hub", i), f.url, s.servers, s.tools, s.leased})
		if err != nil {
			return err
		}
		f.hubs = append(f.hubs, p)
	}
	return nil
}

func (f *fleet) kill() {
	for _, p := range slices.Concat(f.hubs, f.nodes) {
		p.kill()
	}
}

// print prints a line of the results.
func (f *fleet) print(format string, args ...any) {
	_, _ = fmt.Fprintf(f.out, format, args...) // the terminal, or a buffer of a test
}

// costs holds what all parts have used and sent so far.
type costs struct {
	at       time.Time
	gateways usage
	hubs     usage
	nodes    usage
	sent     traffic
}

func (f *fleet) costs(ctx context.Context) (c costs, err error) {
	c.at = time.Now()
	if c.gateways, err = usageOf(os.Getpid()); err != nil {
		return c, err
	}
	for _, h := range f.hubs {
		u, err := usageOf(h.cmd.Process.Pid)
		if err != nil {
			return c, err
		}
		c.hubs = c.hubs.plus(u)
	}
	for _, n := range f.nodes {
		u, err := usageOf(n.cmd.Process.Pid)
		if err != nil {
			return c, err
		}
		t, err := trafficOf(ctx, n.monitor)
		if err != nil {
			return c, err
		}
		c.nodes = c.nodes.plus(u)
		c.sent = traffic{
			c.sent.InMsgs + t.InMsgs, c.sent.OutMsgs + t.OutMsgs, c.sent.InBytes + t.InBytes, c.sent.OutBytes + t.OutBytes,
			c.sent.Subscriptions + t.Subscriptions, c.sent.Connections + t.Connections,
		}
	}
	return c, nil
}

func (c costs) minus(o costs) costs {
	return costs{c.at, c.gateways.minus(o.gateways), c.hubs.minus(o.hubs), c.nodes.minus(o.nodes), c.sent.minus(o.sent)}
}

// offered waits until the fleet offers all servers, including an owner for those that need one.
func (f *fleet) offered(ctx context.Context, s sizes) error {
	ctx, stop := context.WithCancel(ctx)
	s.gateways = 1
	g := join(ctx, f.url, s.gateways, s.servers, 1)
	err := g.await(ctx, s, time.Minute)
	stop()
	g.close()
	return err
}

// joined starts the gateways and prints the cost of each.
func (f *fleet) joined(ctx context.Context, s sizes) (*gateways, error) {
	if err := f.offered(ctx, s); err != nil {
		return nil, err
	}
	before, err := f.costs(ctx)
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	g := join(ctx, f.url, s.gateways, s.servers, s.atOnce)
	if err := g.await(ctx, s, 5*time.Minute); err != nil {
		return nil, err
	}
	took := time.Since(begun)
	after, err := f.costs(ctx)
	if err != nil {
		return nil, err
	}
	d, n := after.minus(before), float64(s.gateways)
	f.print("join: all gateways have all servers after %.1f s; %d attempts failed\n", took.Seconds(), g.redials.Load())
	f.print("  for each gateway: %.0f KB in the gateway, %.0f KB in the NATS servers, %.1f KB in the hubs\n", kb(d.gateways.memory, n), kb(d.nodes.memory, n), kb(d.hubs.memory, n))
	f.print("  for each gateway: %.1f messages to clients and nodes, %.0f KB, %.2f ms of CPU in the NATS servers, %.2f ms in the hubs\n",
		float64(d.sent.OutMsgs)/n, kb(d.sent.OutBytes, n), ms(d.nodes.cpu, n), ms(d.hubs.cpu, n))
	f.print("  the NATS servers have %d connections and %d subscriptions, %.1f for each gateway\n", d.sent.Connections, d.sent.Subscriptions, float64(d.sent.Subscriptions)/n)
	return g, nil
}

func kb(bytes int64, n float64) float64 { return float64(bytes) / 1024 / n }

func ms(d time.Duration, n float64) float64 { return float64(d) / float64(time.Millisecond) / n }

// await waits until each gateway is connected to all servers.
func (g *gateways) await(ctx context.Context, s sizes, limit time.Duration) error {
	want, until := int64(s.gateways*s.servers), time.Now().Add(limit)
	for g.ready.Load() != want {
		if time.Now().After(until) {
			return fmt.Errorf("%d of %d connections are up after %s", g.ready.Load(), want, limit)
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// idle prints the cost of gateways that do nothing.
func (f *fleet) idle(ctx context.Context, g *gateways, s sizes) error {
	before, err := f.costs(ctx)
	if err != nil {
		return err
	}
	g.pause(s.idle)
	after, err := f.costs(ctx)
	if err != nil {
		return err
	}
	d, n := after.minus(before), float64(s.gateways)*after.at.Sub(before.at).Seconds()
	f.print("idle, for each gateway and second: %.2f messages, %.0f bytes, %.0f µs of CPU in the gateway, %.0f in the NATS servers, %.0f in the hubs\n",
		float64(d.sent.OutMsgs)/n, float64(d.sent.OutBytes)/n, 1000*ms(d.gateways.cpu, n), 1000*ms(d.nodes.cpu, n), 1000*ms(d.hubs.cpu, n))
	return nil
}

// called makes calls and prints the cost of each.
func (f *fleet) called(ctx context.Context, g *gateways, s sizes) error {
	before, err := f.costs(ctx)
	if err != nil {
		return err
	}
	var mu sync.Mutex
	var took []time.Duration
	var failed error
	failures, left := 0, s.calls
	begun := time.Now()
	var workers sync.WaitGroup
	for range s.atOnce {
		workers.Go(func() {
			for {
				mu.Lock()
				over := left == 0
				left = max(left-1, 0)
				mu.Unlock()
				if over {
					return
				}
				d, err := g.call()
				mu.Lock()
				if err != nil {
					failures++
					failed = err
				} else {
					took = append(took, d)
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	all := time.Since(begun)
	after, err := f.costs(ctx)
	if err != nil {
		return err
	}
	if failures > 0 {
		return fmt.Errorf("%d of %d calls failed, the last one with: %w", failures, s.calls, failed)
	}
	d, n := after.minus(before), float64(s.calls)
	slices.SortFunc(took, cmp.Compare)
	f.print("%d calls, %d at a time: %.0f a second, median %.2f ms, p99 %.2f ms\n", s.calls, s.atOnce, n/all.Seconds(), ms(took[len(took)/2], 1), ms(took[len(took)*99/100], 1))
	f.print("  for each call: %.1f messages, %.0f bytes, %.0f µs of CPU in the gateway, %.0f in the NATS servers, %.0f in the hubs\n",
		float64(d.sent.OutMsgs)/n, float64(d.sent.OutBytes)/n, 1000*ms(d.gateways.cpu, n), 1000*ms(d.nodes.cpu, n), 1000*ms(d.hubs.cpu, n))
	return nil
}

// changed changes the tools of one server at one hub, and prints the cost for the gateways.
func (f *fleet) changed(ctx context.Context, g *gateways, s sizes) error {
	before, err := f.costs(ctx)
	if err != nil {
		return err
	}
	g.listed.Store(0)
	begun := time.Now()
	if _, err := fmt.Fprintln(f.hubs[0].stdin, "change"); err != nil {
		return err
	}
	for until := begun.Add(time.Minute); g.listed.Load() < int64(s.gateways); g.pause(5 * time.Millisecond) {
		if time.Now().After(until) {
			return fmt.Errorf("%d of %d gateways have the changed tools", g.listed.Load(), s.gateways)
		}
	}
	took := time.Since(begun)
	after, err := f.costs(ctx)
	if err != nil {
		return err
	}
	d, n := after.minus(before), float64(s.gateways)
	f.print("changed tools of one server: all gateways have asked for them after %.2f s\n", took.Seconds())
	f.print("  for each gateway: %.1f messages, %.1f KB, %.2f ms of CPU in the gateway, %.2f in the NATS servers, %.2f in the hubs\n",
		float64(d.sent.OutMsgs)/n, kb(d.sent.OutBytes, n), ms(d.gateways.cpu, n), ms(d.nodes.cpu, n), ms(d.hubs.cpu, n))
	return nil
}

// lostHub kills a hub while calls are made, and prints what was lost.
func (f *fleet) lostHub(ctx context.Context, g *gateways, s sizes) error {
	if len(f.hubs) < 2 {
		return nil
	}
	lost := f.hubs[len(f.hubs)-1]
	f.hubs = f.hubs[:len(f.hubs)-1]
	return f.faulted(ctx, g, s, "a hub", lost)
}

// lostNode kills a NATS server while calls are made, and prints what was lost.
func (f *fleet) lostNode(ctx context.Context, g *gateways, s sizes) error {
	lost := f.nodes[nodes-1]
	f.nodes = f.nodes[:nodes-1]
	return f.faulted(ctx, g, s, "a NATS server", lost)
}

// faulted kills a process while calls are made, and prints what was lost.
func (f *fleet) faulted(ctx context.Context, g *gateways, s sizes, what string, lost *process) error {
	stop := make(chan struct{})
	var mu sync.Mutex
	answered, failed := 0, 0
	var workers sync.WaitGroup
	for range s.atOnce {
		workers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				_, err := g.call()
				mu.Lock()
				if err != nil {
					failed++
				} else {
					answered++
				}
				mu.Unlock()
				if err != nil {
					g.pause(10 * time.Millisecond)
				}
			}
		})
	}
	g.pause(time.Second)
	redials := g.redials.Load()
	lost.kill()
	down, took, err := g.recovered(ctx, s)
	g.pause(time.Second)
	close(stop)
	workers.Wait()
	f.print("%s killed: %d of %d connections to servers were lost; all are back after %.1f s and %d attempts that failed; of %d calls meanwhile %d failed\n",
		what, down, s.gateways*s.servers, took.Seconds(), g.redials.Load()-redials, answered+failed, failed)
	return err
}

// noticed is the time after a fault in which connections may still be lost.
const noticed = 3 * time.Second

// recovered waits until all connections to servers are up again after a fault. It returns the maximum
// number that were down, and the time until all were up.
func (g *gateways) recovered(ctx context.Context, s sizes) (down int64, took time.Duration, err error) {
	want, begun, back := int64(s.gateways*s.servers), time.Now(), time.Now()
	for low := want; ; g.pause(time.Millisecond) {
		up, now := g.ready.Load(), time.Now()
		low = min(low, up)
		if up != want {
			back = now
		}
		switch {
		case up == want && now.Sub(back) > noticed:
			return want - low, back.Sub(begun), nil
		case now.Sub(begun) > 5*time.Minute:
			return want - low, 0, fmt.Errorf("%d of %d connections are up", up, want)
		case ctx.Err() != nil:
			return 0, 0, ctx.Err()
		}
	}
}
