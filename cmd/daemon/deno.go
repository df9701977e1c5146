package daemon

import (
	"context"
	"log/slog"
	"sync"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/workers"
	"github.com/toolscript/toolscript/runner/deno"
)

// denoEngine finds Deno when a run first asks for it, and opens the engine with the
// first process.
type denoEngine struct {
	host   *Host
	logger *slog.Logger

	searching sync.Mutex
	found     toolscript.EngineStatus

	mu     sync.Mutex
	engine *deno.Engine // nil until the first process
	closed bool
}

// status searches again while there is no Deno: it may be installed while the gateway
// runs.
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

// FindDeno searches for Deno where the environment names it, in PATH, and where
// toolscript deno install puts it.
func (h *Host) FindDeno(ctx context.Context) toolscript.EngineStatus {
	search := deno.Search{Named: h.getenv(deno.Variable), Path: h.getenv("PATH")}
	if folder, err := h.DenoFolder(); err == nil {
		search.Installed = folder
	}
	return search.Find(ctx)
}

// DenoFolder is the folder that toolscript deno install writes to.
func (h *Host) DenoFolder() (string, error) { return h.folder("deno", deno.Version) }
