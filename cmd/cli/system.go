package cli

import (
	"cmp"
	"context"
	"log/slog"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/actors/workers"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/runner/worker"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/reaper"
)

// system is a gateway's actors under a configuration: its runs take engine and
// check from there when the request names none.
type system struct {
	*actors.System
	settings config.Settings
	reaper   *reaper.Reaper
}

// startSystem completes the options with a configuration and starts a system of
// them. Its scripts run in workers, which are this program under another command.
func (a *app) startSystem(loaded *config.Config, logger *slog.Logger, o actors.Options) (*system, error) {
	options := a.workerOptions(logger)
	reap := reaper.New(logger)
	o.Dial = server.DialMCP(mcpclient.Dialer{Reaper: reap})
	o.Servers, o.Logger = loaded.Servers, logger
	o.Scripts.StartChecker = func(ctx context.Context) (workers.Worker, error) { return worker.StartChecker(ctx, options) }
	o.Scripts.StartSandbox = func(ctx context.Context) (workers.Worker, error) { return worker.StartSandbox(ctx, options) }
	o.Scripts.Limits = loaded.Settings.Limits
	started, err := actors.Start(o)
	if err != nil {
		reap.Close()
		return nil, err
	}
	return &system{started, loaded.Settings, reap}, nil
}

func (a *app) workerOptions(logger *slog.Logger) worker.Options {
	return worker.Options{CacheDir: a.usableCache("quickjs"), Log: logger}
}

// Exec runs a script; see actors.System.
func (s *system) Exec(ctx context.Context, req toolscript.ExecRequest, emit func(toolscript.Event) error) error {
	req.Engine = cmp.Or(req.Engine, s.settings.Engine)
	req.Check = cmp.Or(req.Check, s.settings.Check)
	return s.System.Exec(ctx, req, emit)
}

// Close stops everything, and what servers have left behind; see
// actors.System.
func (s *system) Close(ctx context.Context) error {
	defer s.reaper.Close()
	return s.System.Close(ctx)
}

// end is Close within stopTime.
func (s *system) end() error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	return s.Close(ctx)
}
