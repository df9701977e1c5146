//go:build linux

// Package fleet runs a fleet of real processes through faults, and checks the outcome of each call.
// The fleet has three NATS servers with TLS and JetStream, two hubs, and two machines that each have
// two gateways and a hub for shared servers. The faults come from outside: from toxiproxy, as
// signals, and as forged records.
package fleet

import (
	"fmt"
	"os"
	"testing"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/rs/zerolog"

	"github.com/toolscript/toolscript/test/fixture/mcpserver"
)

// Arguments that select other roles of this test binary.
const (
	asServer = "be-a-server" // an MCP server; its switches follow
	asNode   = "be-a-node"   // a NATS server; the path of its configuration follows
)

func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == asServer:
		os.Exit(mcpserver.Main())
	case len(os.Args) > 2 && os.Args[1] == asNode:
		if err := runNode(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	zerolog.SetGlobalLevel(zerolog.Disabled) // otherwise toxics write to its log
	os.Exit(m.Run())
}

// runNode runs a NATS server until a signal ends it.
func runNode(config string) error {
	o, err := natsserver.ProcessConfigFile(config)
	if err != nil {
		return err
	}
	s, err := natsserver.NewServer(o)
	if err != nil {
		return err
	}
	s.ConfigureLogger()
	if err := natsserver.Run(s); err != nil {
		return err
	}
	s.WaitForShutdown()
	return nil
}
