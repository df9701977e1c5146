//go:build linux

package partition

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/test/fixture/mcpserver"
	"github.com/toolscript/toolscript/test/partition/history"
	"github.com/toolscript/toolscript/transport/hub"
	"github.com/toolscript/toolscript/transport/hub/cluster"
	"github.com/toolscript/toolscript/transport/hub/host"
	_ "github.com/toolscript/toolscript/transport/kinds" // for Config.Kind
	"github.com/toolscript/toolscript/transport/upstream"
)

const loopback = "127.0.0.1"

// roleVariable is the environment variable that selects another role of this test binary. Its value
// is a role in JSON. The process ends with its standard input.
const roleVariable = "PARTITION_ROLE"

// role describes a process of the fleet.
type role struct {
	Kind   string // node, hub, gateway or server
	Name   string
	URL    string   // URL of the cluster, for hubs and gateways
	Port   int      // port for clients, for nodes
	Routes int      // port for other nodes
	To     []string // URLs of the other nodes
	Dir    string   // folder for the files of the process
}

func TestMain(m *testing.M) {
	text := os.Getenv(roleVariable)
	if text == "" {
		os.Exit(m.Run())
	}
	if text == "server" {
		os.Exit(mcpserver.Main())
	}
	var r role
	err := json.Unmarshal([]byte(text), &r)
	if err == nil {
		err = map[string]func(role) error{"node": runNode, "hub": runHub, "gateway": runGateway}[r.Kind](r)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", r.Name, err)
		os.Exit(1)
	}
}

// runNode runs a NATS server of the cluster.
func runNode(r role) error {
	o := &natsserver.Options{
		ServerName: r.Name, Host: loopback, Port: r.Port, NoSigs: true, NoLog: true, JetStream: true, StoreDir: r.Dir,
		Cluster: natsserver.ClusterOpts{
			Name: "fleet", Host: loopback, Port: r.Routes, PoolSize: -1,
			NoAdvertise: true,                 // clients must use only the links
			Advertise:   loopback + ":" + "1", // also for other nodes: nothing listens there
		},
	}
	for _, to := range r.To {
		u, err := url.Parse(to)
		if err != nil {
			return err
		}
		o.Routes = append(o.Routes, u)
	}
	s, err := natsserver.NewServer(o)
	if err != nil {
		return err
	}
	s.Start()
	if !s.ReadyForConnections(bound) {
		return errors.New("the NATS server is not ready")
	}
	fmt.Println("ready")
	_, err = io.Copy(io.Discard, os.Stdin)
	s.Shutdown()
	return err
}

// The servers of the fleet.
const (
	owned  = "owned"  // has one owner, by a lease
	spread = "spread" // runs at all hubs
)

// firstRetry is the pause before a hub joins the fleet again.
const firstRetry = 200 * time.Millisecond

// runHub offers the servers to the fleet, and joins again after its connection was lost. Its log, which
// contains the terms of the leases, and the counts of the servers are files in r.Dir.
func runHub(r role) error {
	log, err := os.OpenFile(logOf(r.Dir, r.Name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	system, err := actors.Start(actors.Options{ServersOnly: true, Dial: upstream.Host{}.Dial()})
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	o := host.FleetOptions{
		Address: cluster.Address{URL: r.URL}, Host: r.Name, Version: "test", Servers: system,
		Logger: slog.New(slog.NewJSONHandler(log, nil)),
	}
	for _, name := range []string{owned, spread} {
		o.Offers = append(o.Offers, host.Offer{Name: name, Stateless: name == spread, Config: upstream.Config{
			Type: upstream.Stdio, Command: self, Args: []string{"counts=" + countsOf(r.Dir, name, r.Name), "stamps"},
			Env: map[string]string{roleVariable: "server", "GORACE": "atexit_sleep_ms=0"},
		}})
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // the hub ends with its standard input
		cancel()
	}()
	fmt.Println("ready")
	for ctx.Err() == nil {
		f, err := host.Join(ctx, o)
		if err != nil {
			o.Logger.Warn("not joined", slog.String("error", err.Error()))
			select {
			case <-time.After(firstRetry):
			case <-ctx.Done():
			}
			continue
		}
		select {
		case <-f.Lost():
		case <-ctx.Done():
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	stop, end := context.WithTimeout(context.Background(), bound)
	defer end()
	return system.Close(stop)
}

const (
	callTime  = 30 * time.Second // a call without an outcome after this time is lost
	callPause = 40 * time.Millisecond
	callers   = 2 // callers of each server in each gateway
	slow      = 2 // additional callers of the server with one owner, whose calls often last longer than a term
)

// workOf returns how long a call takes in its server, in ms.
func workOf(caller, n int) int {
	if caller < 2*callers {
		return 5
	}
	return 1000 + (n*700+caller*300)%3500
}

// runGateway calls both servers repeatedly, and writes each call to a file.
func runGateway(r role) error {
	fleet := hub.NewFleet(hub.FleetOptions{Address: func() cluster.Address { return cluster.Address{URL: r.URL} }})
	defer fleet.Close()
	servers := map[string]upstream.Config{}
	for _, name := range []string{owned, spread} {
		servers[name] = upstream.Config{Type: upstream.Stdio, Shared: upstream.SharedHost}
	}
	system, err := actors.Start(actors.Options{Servers: servers, Dial: upstream.Host{Shared: upstream.DialWith(fleet.Dial)}.Dial()})
	if err != nil {
		return err
	}
	out, err := os.Create(callsOf(r.Dir, r.Name))
	if err != nil {
		return err
	}
	fmt.Println("ready")
	over := make(chan struct{})
	go func() {
		defer close(over)
		for in := bufio.NewReader(os.Stdin); ; {
			if _, err := in.ReadByte(); err != nil {
				return
			}
		}
	}()
	var mu sync.Mutex
	var work sync.WaitGroup
	for i := range 2*callers + slow {
		name := owned
		if i < callers {
			name = spread
		}
		work.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-over:
					return
				case <-time.After(callPause):
				}
				line, _ := json.Marshal(makeCall(system, r.Name, name, fmt.Sprintf("%s-%d-%d", r.Name, i, n), workOf(i, n))) // this struct always has a JSON form
				mu.Lock()
				_, _ = out.Write(append(line, '\n')) // a missing line fails the check
				mu.Unlock()
			}
		})
	}
	work.Wait()
	stop, end := context.WithTimeout(context.Background(), bound)
	defer end()
	return errors.Join(out.Close(), system.Close(stop))
}

// makeCall makes a call in which a server counts the id and works for that many milliseconds.
func makeCall(system *actors.System, gateway, name, id string, work int) history.Call {
	ctx, cancel := context.WithTimeout(context.Background(), callTime)
	defer cancel()
	c := history.Call{ID: id, Server: name, Gateway: gateway, Begin: time.Now().UnixNano()}
	args, _ := json.Marshal(map[string]any{"text": id, "ms": work}) // this map always has a JSON form
	result, err := system.CallTool(ctx, toolscript.Call{ID: name + "__count", Args: args})
	c.End = time.Now().UnixNano()
	var r struct{ Content []struct{ Text string } }
	switch {
	case err == nil:
		c.Outcome = history.Answered
		if json.Unmarshal(result, &r) == nil && len(r.Content) == 1 {
			c.Answer, c.Process, _ = strings.Cut(r.Content[0].Text, " ")
		}
		return c
	case ctx.Err() != nil:
		c.Outcome = history.Lost
	case toolscript.SentOf(err) != toolscript.SentNo:
		c.Outcome = history.Unknown
	default:
		c.Outcome = history.Refused
	}
	c.Error = err.Error()
	return c
}

// attributes make a process end with the process that has started it.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
