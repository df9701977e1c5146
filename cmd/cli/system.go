package cli

import (
	"cmp"
	"context"
	"log/slog"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/workers"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/runner/worker"
)

// system is a gateway's actors under a configuration: its runs take engine and
// check from there when the request names none.
type system struct {
	*actors.System
	settings config.Settings
}

// startSystem connects to the servers of a configuration and runs scripts in
// workers, which are this program under another command.
func (a *app) startSystem(loaded *config.Config, logger *slog.Logger, scripts actors.Scripts) (*system, error) {
	options := worker.Options{CacheDir: a.usableCache("quickjs")}
	scripts.StartChecker = func(ctx context.Context) (workers.Worker, error) { return worker.StartChecker(ctx, options) }
	scripts.StartSandbox = func(ctx context.Context) (workers.Worker, error) { return worker.StartSandbox(ctx, options) }
	scripts.Limits = loaded.Settings.Limits
	started, err := actors.Start(actors.Options{Servers: loaded.Servers, Logger: logger, Scripts: scripts})
	if err != nil {
		return nil, err
	}
	return &system{started, loaded.Settings}, nil
}

// Exec runs a script; see actors.System.
func (s *system) Exec(ctx context.Context, req toolscript.ExecRequest, emit func(toolscript.Event) error) error {
	req.Engine = cmp.Or(req.Engine, s.settings.Engine)
	req.Check = cmp.Or(req.Check, s.settings.Check)
	return s.System.Exec(ctx, req, emit)
}

// end stops everything within stopTime.
func (s *system) end() error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	return s.Close(ctx)
}
