package mcp

import (
	"context"
	"errors"
	"log/slog"

	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/daemon"
	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/transport/api"
)

// reachable lets commands reload the gateway of toolscript mcp, although they do not use it for anything else. If
// this fails, a change of the configuration has no effect until the client starts toolscript mcp again. end makes
// the gateway unreachable.
func (o *mcpOptions) reachable(own *daemon.Daemon, loaded *config.Config, logger *slog.Logger) (end func()) {
	unreachable := func(err error) func() {
		o.Warn("commands that change the configuration do not reach this process: %v", err)
		return func() {}
	}
	listener, err := api.Listen("localhost", 0)
	if err != nil {
		return unreachable(err)
	}
	server, err := api.New(own, api.Options{Listener: listener, Token: api.NewToken(), Approver: api.NewToken(), Logger: logger})
	if err != nil {
		return unreachable(errors.Join(err, listener.Close()))
	}
	go func() { _ = server.Serve() }() // until end is called, or the process ends
	places, err := o.Target.Places()
	entry := discovery.Entry{URL: server.URL(), Session: discovery.Session(o.LookupEnv), Config: config.Paths(loaded.Files), Embedded: true}
	if err == nil {
		entry, err = places.Write(entry)
	}
	if err != nil {
		return unreachable(errors.Join(err, shutDown(server)))
	}
	return func() {
		if err := errors.Join(places.Remove(entry), shutDown(server)); err != nil {
			o.Warn("%v", err)
		}
	}
}

func shutDown(server *api.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), daemon.StopTime)
	defer cancel()
	return server.Shutdown(ctx)
}
