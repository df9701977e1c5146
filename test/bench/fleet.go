//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"

	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/transport/hub/cluster"
	"github.com/toolscript/toolscript/transport/hub/host"
	"github.com/toolscript/toolscript/transport/upstream"
)

// The arguments that make this program a NATS server, which prints its address, or a hub that offers
// the server fleet at an address. Both end with their standard input.
const (
	asNATS     = "be-a-nats-server"
	asFleetHub = "be-a-hub-of-a-fleet"
)

func runNATS() error {
	s, err := natsserver.NewServer(&natsserver.Options{Host: "127.0.0.1", Port: natsserver.RANDOM_PORT, NoLog: true, NoSigs: true})
	if err != nil {
		return err
	}
	s.Start()
	if !s.ReadyForConnections(10 * time.Second) {
		return errors.New("the NATS server is not ready")
	}
	fmt.Println(s.ClientURL())
	_, err = io.Copy(io.Discard, os.Stdin)
	s.Shutdown()
	return err
}

func runFleetHub(url string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	s, err := actors.Start(actors.Options{ServersOnly: true, Dial: upstream.Host{}.Dial()})
	if err != nil {
		return err
	}
	f, err := host.Join(context.Background(), host.FleetOptions{
		Address: cluster.Address{URL: url}, Host: "bench", Version: "bench", Servers: s,
		Offers: []host.Offer{{Name: "fleet", Stateless: true, Config: upstream.Config{Type: upstream.Stdio, Command: self, Args: []string{asServer}}}},
	})
	if err != nil {
		return errors.Join(err, s.Close(context.Background()))
	}
	fmt.Println("ready")
	_, err = io.Copy(io.Discard, os.Stdin)
	f.Close()
	return errors.Join(err, s.Close(context.Background()))
}

// startFleet starts a NATS server and a hub, and returns the server's address. stop ends them.
func (b *bench) startFleet(ctx context.Context) (url string, stop func(), err error) {
	url, stopNATS, err := b.child(ctx, asNATS)
	if err != nil {
		return "", nil, err
	}
	_, stopHub, err := b.child(ctx, asFleetHub, url)
	if err != nil {
		stopNATS()
		return "", nil, err
	}
	return url, func() { stopHub(); stopNATS() }, nil
}
