//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/builtin"
	"github.com/toolscript/toolscript/transport/hub"
	"github.com/toolscript/toolscript/transport/hub/host"
	"github.com/toolscript/toolscript/transport/mcpclient"
)

// asHub is the argument that makes this program a hub. The next one is its socket. It ends
// with its standard input.
const asHub = "be-a-hub"

// hubToken is the token of that hub.
const hubToken = "bench"

func runHub(socket string) error {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "unix", socket)
	if err != nil {
		return err
	}
	s, err := actors.Start(actors.Options{ServersOnly: true, Dial: server.DialAll(mcpclient.Dialer{}, builtin.Dialer{}, nil)})
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

// shared compares a call of an own server with one of a shared server, which runs in
// another process. The calls alternate.
func (b *bench) shared(ctx context.Context) error {
	socket := filepath.Join(b.Home, "hub")
	cmd := exec.CommandContext(ctx, b.self, asHub, socket)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() {
		_ = stdin.Close() // ends the hub
		_ = cmd.Wait()    // measured already
	}()
	if _, err := io.ReadFull(stdout, make([]byte, len("ready"))); err != nil {
		return fmt.Errorf("the hub has not started: %w", err)
	}
	client := hub.NewClient(hub.ClientOptions{Find: func(context.Context) (hub.Endpoint, error) {
		return hub.Endpoint{Token: hubToken, Dial: func(ctx context.Context) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		}}, nil
	}})
	defer client.Close()
	own := mcpclient.Config{Type: mcpclient.Stdio, Command: b.self, Args: []string{asServer}, Dir: b.Home}
	other := own
	other.Shared = mcpclient.SharedHost
	s, err := actors.Start(actors.Options{
		Servers: map[string]mcpclient.Config{"own": own, "shared": other},
		Dial:    server.DialAll(mcpclient.Dialer{}, builtin.Dialer{}, server.DialShared(client.Dial)),
	})
	if err != nil {
		return err
	}
	defer s.Close(context.WithoutCancel(ctx)) //nolint:errcheck // measured already
	if _, pending := s.Await(ctx, nil); len(pending) > 0 {
		return fmt.Errorf("not connected: %q", pending)
	}
	return compareShared(ctx, s)
}

func compareShared(ctx context.Context, s *actors.System) error {
	for _, of := range []struct{ what, tool, args, want string }{
		{"a small call", "echo", `{"text":"x"}`, "≤ 0.5"},
		{"an answer of 100 KB", "big", `{"bytes":100000}`, ""},
		{"an answer of 5 MB", "big", `{"bytes":5000000}`, ""},
	} {
		once := func(server string) (time.Duration, error) {
			begin := time.Now()
			_, err := s.CallTool(ctx, toolscript.Call{ID: server + "__" + of.tool, Args: json.RawMessage(of.args)})
			return time.Since(begin), err
		}
		rounds := 1000
		if of.want == "" {
			rounds = 100
		}
		var own, shared, beyond []float64
		for i := range rounds {
			a, err := once("own")
			if err != nil {
				return err
			}
			b, err := once("shared")
			if err != nil {
				return err
			}
			if i >= rounds/10 { // warm
				own, shared, beyond = append(own, milliseconds(a)), append(shared, milliseconds(b)), append(beyond, milliseconds(b-a))
			}
		}
		show(of.what+" on an own server", "ms", own, "")
		show("  on a shared server", "ms", shared, "")
		show("  more on a shared server", "ms", beyond, of.want)
	}
	return nil
}
