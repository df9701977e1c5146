package confine

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/live"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/daemon"
	"github.com/toolscript/toolscript/cmd/exec"
	"github.com/toolscript/toolscript/cmd/gateways"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/runner/observed"
	"github.com/toolscript/toolscript/transport/api"
	"github.com/toolscript/toolscript/transport/upstream"
)

// watching is one run of confine suggest: it watches a server while the server is used.
type watching struct {
	*confineSuggestOptions
	server string
	loaded *config.Config
	src    exec.Script // zero without a script
	before toolWork    // what the server did while it was watched
}

// session watches the server without restrictions and returns the record of what it did.
func (w *watching) session(ctx context.Context) (*observed.Record, error) {
	watch := &daemon.Watch{Server: w.server, Confine: upstream.Confine{Free: true}, Record: &observed.Record{}}
	if w.hasScript() {
		err := w.once(ctx, watch, true, &w.before)
		var failed *app.Error // the script failed and has printed its error
		if errors.As(err, &failed) {
			w.Say("nothing was suggested: the script has to work without restrictions first")
		}
		return watch.Record, err
	}
	return watch.Record, w.gateway(ctx, watch)
}

// once starts the server in this process, has it list its tools, and runs the script.
func (w *watching) once(ctx context.Context, watch *daemon.Watch, script bool, done *toolWork) error {
	e := exec.NewOptions(w.App, w.command)
	e.Trust = w.trust
	if w.Form.Structured() {
		e.Form = terminal.AsJSON
	}
	own, err := w.Host.Start(w.loaded, daemon.Options{
		Trust: w.trust, Logger: w.Logger(slog.LevelError), Watch: watch,
		Search: func(s *config.Search) { s.Lexical = true },
		Actors: actors.Options{OnDemand: true, Approvals: e.Approvals()},
	})
	if err != nil {
		return err
	}
	done.tools, err = w.connected(ctx, own)
	if err == nil && script {
		// stdout is for the profile
		err = exec.Run(ctx, counting{exec.OwnPlace{Daemon: own}, done}, e.Request(w.src), w.src.Stdin, exec.NewLive(w.Stderr, w.Stderr, e.Printer(), w.Notice, w.Again), e.Person())
	}
	return errors.Join(err, own.Stop())
}

// connected waits until the server is connected and returns how many tools it has. Its tools may be
// in the catalog before its state is ready.
func (w *watching) connected(ctx context.Context, backend api.Backend) (tools int, err error) {
	over := w.Waiting("starting " + w.server)
	defer over()
	servers, err := api.Direct{Backend: backend}.Servers(ctx, toolscript.Filter{w.server}, actors.DefaultConnectTimeout)
	if err != nil {
		return 0, err
	}
	for _, s := range servers {
		if s.Name == w.server && s.Serves() {
			return s.Tools, nil
		}
		if s.Name == w.server {
			return 0, &toolscript.Error{Kind: toolscript.Unavailable, Err: errors.New(app.MissingReason(toolscript.MissingServer{Name: s.Name, State: s.State, Error: s.Error}))}
		}
	}
	return 0, &toolscript.Error{Kind: toolscript.Unavailable, Err: errors.New(w.server + " was not started")}
}

// gateway runs a gateway until Ctrl-C, or for the time of --for.
func (w *watching) gateway(ctx context.Context, watch *daemon.Watch) error {
	s := &gateways.StartOptions{App: w.App, Hostname: "localhost", Trust: w.trust, Feed: live.NewFeed(), Observed: watch}
	logger := slog.New(s.Feed.Handler(w.Logger(slog.LevelWarn).Handler()))
	if err := s.Alone(ctx, w.loaded); err != nil {
		return err
	}
	g, err := s.Open(w.loaded, logger)
	if err != nil {
		return err
	}
	entry := s.Announce(g.Server, w.loaded, logger)
	defer entry.Remove()
	serving := make(chan error, 1)
	go func() { serving <- g.Server.Serve() }()
	tools, err := w.connected(ctx, g.Daemon)
	w.before.tools = tools
	if err != nil {
		return errors.Join(err, g.Stop())
	}
	interrupted := w.Interrupts()
	var end <-chan time.Time
	until := "Ctrl-C"
	if w.span > 0 {
		end, until = time.After(time.Duration(w.span)), w.span.String()+" or Ctrl-C"
	}
	w.Say("watching %s (%d tools) in a gateway of process %d until %s; other commands and agents use it, for example: %s", w.server, tools, os.Getpid(), until, toolscript.Command("call", w.server+".TOOL"))
	select {
	case err = <-serving:
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-interrupted:
	case <-end:
	}
	return errors.Join(err, g.Stop())
}

// verified starts the server with the profile, runs the script if --verify says so, and notes
// what was refused.
func (w *watching) verified(ctx context.Context, r *SuggestedProfile) {
	r.Verified = verification{What: w.verify.Value, Refused: []Problem{}}
	if why := holds(); why != "" && w.verify.Value != verifyNothing {
		r.Verified.What = verifyNothing
		w.Warn("the profile was not verified: %s", why)
	}
	if r.Verified.What == verifyNothing {
		return
	}
	watch := &daemon.Watch{Server: w.server, Confine: confineOf(r.Confine), Record: &observed.Record{}}
	var again toolWork
	err := w.once(ctx, watch, r.Verified.What == verifyScript, &again)
	r.Verified.Refused = Refused(watch.Record, w.home())
	r.Verified.Error, r.Verified.Differs = w.before.compare(again, r.Verified, w.hasScript())
	if err != nil {
		r.Verified.Error = "the server does not work: " + err.Error()
	}
	if !w.Form.Structured() {
		w.tell(r.Verified)
	}
}

// tell prints the result of a verification.
func (w *watching) tell(v verification) {
	done := map[string]string{verifyStart: w.server + " starts and lists its tools", verifyScript: "the script works"}[v.What]
	switch {
	case v.Error != "":
	case len(v.Differs) > 0:
		w.Say("not verified: %s with this profile, but %s", done, strings.Join(v.Differs, "; "))
	default:
		w.Say("verified: %s with this profile", done)
	}
	w.list(v.Refused, func(p Problem) string { return "refused: it " + p.What })
}
