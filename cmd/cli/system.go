package cli

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/actors/workers"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/toolcache"
	"github.com/toolscript/toolscript/cmd/zone"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/runner/outside"
	"github.com/toolscript/toolscript/runner/script/typecheck"
	"github.com/toolscript/toolscript/runner/worker"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/reaper"
)

// system is a gateway's actors under a configuration: its runs take engine,
// check and limits from there when the request names none.
type system struct {
	*actors.System
	app      *app
	trust    bool // project files take effect without having been trusted
	settings atomic.Pointer[config.Settings]
	over     func(*config.Search) // puts the flags over what the files say; nil: there are none
	reaper   *reaper.Reaper
	deno     *denoEngine

	reloading sync.Mutex
}

// spareDenos are the processes that wait where the configuration names Deno as
// the engine. Each holds 36 MB, of which 11 are its own (Rss and private pages of
// Deno 2.9.6 in /proc/PID/smaps_rollup).
const spareDenos = 2

// startSystem completes the options with a configuration and starts a system of
// them. Its scripts run in workers, which are this program under another command.
func (a *app) startSystem(loaded *config.Config, trust bool, logger *slog.Logger, o actors.Options) (*system, error) {
	options := a.workerOptions(logger)
	s := &system{app: a, trust: trust, reaper: reaper.New(logger), deno: a.newDenoEngine(logger)}
	s.settings.Store(&loaded.Settings)
	o.Logins = a.logins(logger)
	o.Dial = server.DialMCP(mcpclient.Dialer{Reaper: s.reaper, RoundTripper: actors.Credentials(o.Logins)})
	o.Memory = toolcache.Folder(a.usableCache("tools"))
	o.Servers, o.Logger = loaded.Servers, logger
	o.Scripts.StartChecker = func(ctx context.Context) (workers.Worker, error) { return worker.StartChecker(ctx, options) }
	o.Scripts.StartSandbox = func(ctx context.Context) (workers.Worker, error) { return worker.StartSandbox(ctx, options) }
	o.Scripts.Deno, o.Scripts.StartDeno = s.deno.status, s.deno.start
	if o.Scripts.Warm && loaded.Settings.Engine == toolscript.EngineDeno && s.deno.status().Available {
		o.Scripts.SpareDeno = spareDenos
	}
	o.Scripts.Limits = func() toolscript.Limits { return s.settings.Load().Limits }
	o.Types = func() actors.Types { return typeOptions(s.settings.Load().Types) }
	o.Scripts.KeptDir = a.outputs().Dir
	var warnings []string
	if o.Search, warnings = a.searchOptions(loaded.Settings.Search); len(warnings) > 0 {
		a.warn("%s", strings.Join(warnings, "; "))
	}
	var err error
	if s.System, err = actors.Start(o); err != nil {
		s.reaper.Close()
		return nil, err
	}
	return s, nil
}

// typeOptions are the settings as the generator has them, where 0 is the default
// and less than that leaves descriptions out.
func typeOptions(t config.Types) actors.Types {
	o := actors.Types{Options: codegen.Options{Open: t.OpenObjects}, NoObserve: t.NoObserve}
	switch {
	case t.Describe == nil:
	case *t.Describe == 0:
		o.Describe = -1
	default:
		o.Describe = *t.Describe
	}
	return o
}

func (a *app) workerOptions(logger *slog.Logger) worker.Options {
	o := worker.Options{CacheDir: a.usableCache("quickjs"), Log: logger}
	if c := a.checkerBeside(logger); c != nil {
		o.Types = c
	}
	return o
}

// checkerBeside is the type checker of a build that has none; nil for any other,
// and when there is none on this machine either.
func (a *app) checkerBeside(logger *slog.Logger) *outside.Checker {
	if typecheck.Version != "" {
		return nil
	}
	o := outside.Options{
		TypeScript: outside.FindTypeScript(context.Background(), a.getenv("PATH")),
		Folder:     a.usableCache("deno-check"), Globals: typecheck.Globals,
	}
	if o.TypeScript == "" {
		o.Deno = a.findDeno(context.Background()).Path
	}
	c := outside.New(o)
	if c == nil {
		logger.Warn("this build has no type checker, and neither tsc 7 nor deno is in PATH: scripts run unchecked")
	}
	return c
}

// Exec runs a script; see actors.System.
func (s *system) Exec(ctx context.Context, req toolscript.ExecRequest, emit func(toolscript.Event) error) error {
	settings := s.settings.Load()
	req.Engine = cmp.Or(req.Engine, settings.Engine)
	req.Check = cmp.Or(req.Check, settings.Check)
	req.TZ = cmp.Or(req.TZ, zone.Of(s.app.getenv("TZ")), zone.Host("/"))
	return s.System.Exec(ctx, req, emit)
}

// Close stops everything, and what servers have left behind; see
// actors.System.
func (s *system) Close(ctx context.Context) error {
	defer s.reaper.Close()
	return errors.Join(s.System.Close(ctx), s.deno.close())
}

// end is Close within stopTime.
func (s *system) end() error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	return s.Close(ctx)
}
