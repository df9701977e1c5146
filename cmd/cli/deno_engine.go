package cli

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/workers"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/runner/deno"
)

// denoEngine is Deno as a gateway has it: looked for when a run asks for it, until
// it is found, and opened with its first process.
type denoEngine struct {
	app    *app
	logger *slog.Logger

	looking sync.Mutex
	found   toolscript.EngineStatus

	mu     sync.Mutex
	engine *deno.Engine // nil until the first process
	closed bool
}

func (a *app) newDenoEngine(logger *slog.Logger) *denoEngine {
	return &denoEngine{app: a, logger: logger}
}

// status is of the Deno that there is. When there was none it looks again: one may
// have been installed since, and nobody has to start the gateway anew for it.
func (d *denoEngine) status() toolscript.EngineStatus {
	d.looking.Lock()
	defer d.looking.Unlock()
	if d.found.Available {
		return d.found
	}
	d.found = d.app.findDeno(context.Background())
	if d.found.Warning != "" {
		d.logger.Warn(d.found.Warning)
	}
	return d.found
}

// start starts a process that runs one script.
func (d *denoEngine) start(ctx context.Context, version string) (workers.Worker, error) {
	engine, err := d.open()
	if err != nil {
		return nil, err
	}
	return engine.Start(ctx, version)
}

func (d *denoEngine) open() (*deno.Engine, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, context.Canceled
	}
	if d.engine != nil {
		return d.engine, nil
	}
	engine, err := deno.NewEngine(context.Background(), deno.Options{
		Executable: d.status().Path, Folder: d.app.usableCache("deno"), Log: d.logger,
	})
	if err == nil {
		d.engine = engine
	}
	return engine, err
}

// close ends what the processes need; they must have ended.
func (d *denoEngine) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	if d.engine == nil {
		return nil
	}
	return d.engine.Close()
}

// findDeno looks for Deno where this command's environment says.
func (a *app) findDeno(ctx context.Context) toolscript.EngineStatus {
	search := deno.Search{Named: a.getenv(deno.Variable), Path: a.getenv("PATH")}
	if folder, err := a.denoFolder(); err == nil {
		search.Installed = folder
	}
	return search.Find(ctx)
}

// denoFolder is where toolscript deno install puts Deno.
func (a *app) denoFolder() (string, error) {
	data, err := config.DataDir(a.config(false))
	if err != nil {
		return "", err
	}
	return filepath.Join(data, "deno", deno.Version), nil
}
