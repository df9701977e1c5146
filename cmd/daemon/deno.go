package daemon

import (
	"context"
	"log/slog"
	"sync"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/workers"
	"github.com/toolscript/toolscript/runner/deno"
)

// denoEngine finds Deno when a run first needs it, and opens the engine for the first
// process.
type denoEngine struct {
	host   *Host
	logger *slog.Logger

	searching sync.Mutex
	found     toolscript.EngineStatus

	mu     sync.Mutex
	engine *deno.Engine // nil before the first process
	closed bool
}

// status returns the status of Deno. It searches again until Deno is found, because Deno
// may be installed while the gateway runs.
func (d *denoEngine) status() toolscript.EngineStatus {
	d.searching.Lock()
	defer d.searching.Unlock()
	if d.found.Available {
		return d.found
	}
	d.found = d.host.FindDeno(context.Background())
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
		Executable: d.status().Path, Folder: d.host.Cache("deno"), Log: d.logger,
	})
	if err == nil {
		d.engine = engine
	}
	return engine, err
}

// close closes the engine. All of its processes must have ended.
func (d *denoEngine) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	if d.engine == nil {
		return nil
	}
	return d.engine.Close()
}

// FindDeno searches for Deno at the path that the environment names, in PATH, and in the
// folder of toolscript deno install.
func (h *Host) FindDeno(ctx context.Context) toolscript.EngineStatus {
	search := deno.Search{Named: h.getenv(deno.Variable), Path: h.getenv("PATH")}
	if folder, err := h.DenoFolder(); err == nil {
		search.Installed = folder
	}
	return search.Find(ctx)
}

// DenoFolder returns the folder to which toolscript deno install writes.
func (h *Host) DenoFolder() (string, error) { return h.folder("deno", deno.Version) }
