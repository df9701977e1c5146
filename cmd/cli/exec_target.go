package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/cmd/daemon"
	"github.com/toolscript/toolscript/cmd/elicit"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// exec runs the script in a running gateway, else in this process.
func (o *execOptions) exec(ctx context.Context, src source, out events) error {
	g, err := o.shared(ctx, o.trust)
	if err != nil {
		return out.finish(err)
	}
	if g != nil {
		defer g.Close()
		o.search.warnUnused(o.app)
		return runAt(ctx, g, o.request(src), src.stdin, out, o.person())
	}
	own, err := o.start()
	if err != nil {
		return out.finish(err)
	}
	defer func() {
		if err := own.Stop(); err != nil {
			o.warn("%v", err)
		}
	}()
	return runAt(ctx, own, o.request(src), src.stdin, out, o.person())
}

// shared finds a running gateway. It is nil if there is none or if its version differs.
// It is also nil with --trust, which a running gateway cannot follow.
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

// place runs scripts: a gateway over HTTP, or the daemon of this process.
type place interface {
	// Exec runs a script to its end and emits its events in order. It fails only if the
	// run could not begin or was lost.
	Exec(ctx context.Context, req toolscript.ExecRequest, emit func(toolscript.Event) error) error
	// ReplyRun answers a question of a server.
	ReplyRun(ctx context.Context, runID string, answer toolscript.Answer) error
	// GiveStdin sends standard input to a run. It waits until the script has read the
	// piece before.
	GiveStdin(ctx context.Context, runID string, piece toolscript.StdinPiece) error
}

// runAt runs a script and passes its events to out. asked answers the questions of
// servers; nil refuses them.
func runAt(ctx context.Context, at place, req toolscript.ExecRequest, stdin io.Reader, out events, asked *elicit.Person) error {
	req.Ask = asked != nil
	defer asked.Close()
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	var runID string
	var writeError error // of out
	err := at.Exec(running, req, func(e toolscript.Event) error {
		if e.RunID != "" {
			runID = e.RunID
		}
		if e.Type == toolscript.EventStdin && stdin != nil {
			out.still()
			go giveStdin(running, at, runID, stdin)
			return nil
		}
		if e.Type == toolscript.EventAsk && e.Ask != nil && asked != nil {
			out.still()
			go asked.Reply(running, at, runID, *e.Ask)
			return nil
		}
		if err := out.event(e); err != nil {
			writeError = err
		}
		return writeError
	})
	if writeError != nil {
		return writeError
	}
	if signal := interrupted(ctx); signal != nil {
		err = &toolscript.Error{Kind: toolscript.Cancelled, Err: signal}
	}
	return out.finish(err)
}

// stdinPiece is the longest piece of standard input. Each piece is a request.
const stdinPiece = 1 << 20

// giveStdin sends standard input until its end, or until the run refuses a piece: a
// script may end without reading all of it. The goroutine may stay in a Read until the
// process ends, because nothing else can end it.
func giveStdin(ctx context.Context, to place, runID string, stdin io.Reader) {
	buffer := make([]byte, stdinPiece)
	for {
		n, err := stdin.Read(buffer)
		piece := toolscript.StdinPiece{Data: buffer[:n], EOF: err != nil}
		if err != nil && !errors.Is(err, io.EOF) {
			piece.Error = withoutPath(err)
		}
		if offer(ctx, to, runID, piece) != nil || err != nil {
			return
		}
	}
}

// withoutPath is the reason why a file cannot be read, without its path, which the
// script must not see.
func withoutPath(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

// offer repeats a request that timed out because the script has not read the piece yet.
func offer(ctx context.Context, to place, runID string, piece toolscript.StdinPiece) error {
	for {
		err := to.GiveStdin(ctx, runID, piece)
		if toolscript.KindOf(err) != toolscript.Timeout || ctx.Err() != nil {
			return err
		}
	}
}

// person is nil if there is no terminal, and with --json, which programs use.
func (o *execOptions) person() *elicit.Person {
	if o.json || o.only || !terminal.Is(o.Stdin) {
		return nil
	}
	return elicit.Open()
}
