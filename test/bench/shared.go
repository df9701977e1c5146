//go:build linux

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/transport/hub"
	"github.com/toolscript/toolscript/transport/hub/host"
	"github.com/toolscript/toolscript/transport/upstream"
)

// asHub is the argument that makes this program a hub. The next argument is the path of its socket.
// The hub ends with its standard input.
const asHub = "be-a-hub"

// hubToken is the token of the hub.
const hubToken = "bench"

func runHub(socket string) error {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "unix", socket)
	if err != nil {
		return err
	}
	s, err := actors.Start(actors.Options{ServersOnly: true, Dial: upstream.Host{}.Dial()})
	if err != nil {
		return err
	}
	h, err := host.Start(host.Options{Listener: listener, Token: hubToken, Servers: s, Idle: time.Minute})
	if err != nil {
		return errors.Join(err, s.Close(context.Background()))
	}
	fmt.Println("ready")
	_, err = io.Copy(io.Discard, os.Stdin)
	return errors.Join(err, h.Close(), s.Close(context.Background()))
}

// child starts this program in a role and returns the first line of its output. stop ends it.
func (b *bench) child(ctx context.Context, role ...string) (line string, stop func(), err error) {
	cmd := exec.CommandContext(ctx, b.self, role...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = stdin.Close() // the process ends with its input
		_ = cmd.Wait()    // the measurement is done
	}
	text, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		stop()
		return "", nil, fmt.Errorf("%s has not started: %w", role[0], err)
	}
	return strings.TrimSpace(text), stop, nil
}

// shared compares a call of a gateway's own server with one of a shared server and one of a fleet's
// server, which run in other processes. The calls alternate.
func (b *bench) shared(ctx context.Context) error {
	socket := filepath.Join(b.Home, "hub")
	_, stop, err := b.child(ctx, asHub, socket)
	if err != nil {
		return err
	}
	defer stop()
	url, stopFleet, err := b.startFleet(ctx)
	if err != nil {
		return err
	}
	defer stopFleet()
	fleet := hub.NewFleet(hub.FleetOptions{Address: func() hub.Address { return hub.Address{URL: url} }})
	defer fleet.Close()
	client := hub.NewClient(hub.ClientOptions{Find: func(context.Context) (hub.Endpoint, error) {
		return hub.Endpoint{Token: hubToken, Dial: func(ctx context.Context) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		}}, nil
	}})
	defer client.Close()
	own := upstream.Config{Type: upstream.Stdio, Command: b.self, Args: []string{asServer}, Dir: b.Home}
	other := own
	other.Shared = upstream.SharedHost
	s, err := actors.Start(actors.Options{
		Servers: map[string]upstream.Config{"own": own, "shared": other, "fleet": {Type: upstream.Fleet}},
		Dial:    upstream.Host{Shared: upstream.DialWith(client.Dial), Own: map[string]upstream.Dial{upstream.Fleet: upstream.DialWith(fleet.Dial)}}.Dial(),
	})
	if err != nil {
		return err
	}
	defer s.Close(context.WithoutCancel(ctx)) //nolint:errcheck // the measurement is done
	if _, pending := s.Await(ctx, nil); len(pending) > 0 {
		return fmt.Errorf("not connected: %q", pending)
	}
	return compareShared(ctx, s)
}

func compareShared(ctx context.Context, s *actors.System) error {
	for _, of := range []struct{ what, tool, args, shared, fleet string }{
		{"a small call", "echo", `{"text":"x"}`, "≤ 0.5", "≤ 1"},
		{"an answer of 100 KB", "big", `{"bytes":100000}`, "", ""},
		{"an answer of 5 MB", "big", `{"bytes":5000000}`, "", ""},
	} {
		once := func(server string) (time.Duration, error) {
			begin := time.Now()
			_, err := s.CallTool(ctx, toolscript.Call{ID: server + "__" + of.tool, Args: json.RawMessage(of.args)})
			return time.Since(begin), err
		}
		rounds := 1000
		if of.shared == "" {
			rounds = 100
		}
		took := map[string][]float64{}
		for i := range rounds {
			var own time.Duration
			for _, server := range []string{"own", "shared", "fleet"} {
				d, err := once(server)
				if err != nil {
					return err
				}
				if server == "own" {
					own = d
				}
				if i >= rounds/10 { // after the warm-up
					took[server] = append(took[server], milliseconds(d))
					took["more "+server] = append(took["more "+server], milliseconds(d-own))
				}
			}
		}
		show(of.what+" on an own server", "ms", took["own"], "")
		show("  more on a shared server", "ms", took["more shared"], of.shared)
		show("  more on a server of a fleet over loopback", "ms", took["more fleet"], of.fleet)
	}
	return nil
}
