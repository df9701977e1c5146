package cli

import (
	"context"
	"log/slog"

	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/cmd/daemon"
	"github.com/toolscript/toolscript/cmd/scriptrun"
)

// place is a running gateway, else a daemon of this process. release ends its use.
func (o *execOptions) place(ctx context.Context) (at scriptrun.Place, release func(), err error) {
	g, err := o.target.Shared(ctx, o.trust)
	if err != nil {
		return nil, nil, err
	}
	if g != nil {
		o.search.warnUnused(o.app)
		return g, g.Close, nil
	}
	own, err := o.start()
	if err != nil {
		return nil, nil, err
	}
	return own, func() {
		if err := own.Stop(); err != nil {
			o.warn("%v", err)
		}
	}, nil
}

// start starts a daemon in this process. It connects only to the servers that the script
// uses, as the checker finds.
func (o *execOptions) start() (*daemon.Daemon, error) {
	loaded, err := o.host.Load(o.trust)
	if err != nil {
		return nil, err
	}
	return o.host.Start(loaded, daemon.Options{
		Trust: o.trust, Search: o.search.over, Logger: o.logger(slog.LevelWarn), Actors: actors.Options{OnDemand: true},
	})
}
