package cli

import (
	"context"
	"log/slog"

	"github.com/toolscript/toolscript/actors"
)

// exec runs the script in the gateway that there is, or in one of its own.
func (o *execOptions) exec(ctx context.Context, src source, out events) error {
	g, err := o.shared(ctx, o.trust)
	if err != nil {
		return out.finish(err)
	}
	if g != nil {
		defer g.Close()
		return runAt(ctx, g, o.request(src), src.stdin, out, o.person())
	}
	own, err := o.start()
	if err != nil {
		return out.finish(err)
	}
	defer func() {
		if err := own.end(); err != nil {
			o.warn("%v", err)
		}
	}()
	return runAt(ctx, own, o.request(src), src.stdin, out, o.person())
}

// shared finds a running gateway to use. It is nil when there is none, when the
// one there is differs from this program, and with --trust, which a gateway that
// runs already could not obey.
func (a *app) shared(ctx context.Context, trust bool) (*reached, error) {
	if trust && a.gatewayURL == "" {
		return nil, nil
	}
	g, err := a.reach(ctx)
	switch {
	case err != nil && (a.gatewayURL != "" || ctx.Err() != nil):
		return nil, err
	case err != nil:
		a.warn("%v; running without a gateway", err)
		return nil, nil
	case g == nil:
		return nil, nil
	}
	if other := g.difference(); other != "" {
		a.warn("%s; running without it", other)
		g.Close()
		return nil, nil
	}
	return g, nil
}

// start makes a gateway in this process. Of the servers it starts those alone
// that the checker finds the script to use.
func (o *execOptions) start() (*system, error) {
	loaded, err := o.load(o.trust)
	if err != nil {
		return nil, err
	}
	o.search.over(&loaded.Settings.Search)
	return o.startSystem(loaded, o.trust, o.logger(slog.LevelWarn), actors.Options{OnDemand: true})
}
