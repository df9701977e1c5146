package daemon

import (
	"context"
	"errors"
	"log/slog"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/runs"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/runner/remote"
	"github.com/toolscript/toolscript/transport/hub/cluster"
)

// newRunners returns the sandboxes of the fleet. It connects when a run first uses one
// because of limits.pool.
func (d *Daemon) newRunners(logger *slog.Logger) *remote.Fleet {
	address := func() cluster.Address { return d.settings.Load().Fleet.Address() }
	return remote.NewFleet(func() string { return address().Name() }, cluster.Dialer(address), logger)
}

// takeRunner lends a sandbox of the fleet.
func (d *Daemon) takeRunner(ctx context.Context) (runs.Remote, error) {
	if d.settings.Load().Fleet.URL == "" {
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New(
			`limits.pool is "fleet", and no fleet is configured; write "fleet": {"url": "nats://HOST:4222"} to ~/` + config.FileName + `, or remove limits.pool`)}
	}
	s, err := d.runners.Take(ctx)
	if err != nil {
		return nil, err
	}
	return s, nil
}
