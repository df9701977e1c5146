package doctor

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/deno"
	"github.com/toolscript/toolscript/runner/worker"
)

// Worker is the result of starting one script process.
type Worker struct {
	Role        string                   `json:"role"`
	StartMs     float64                  `json:"startMs,omitempty"`
	MemoryMB    float64                  `json:"memoryMb,omitempty"`
	Confinement []toolscript.Confinement `json:"confinement,omitempty"`
	Error       string                   `json:"error,omitempty"` // why the process did not start
}

// workers starts one process of each kind.
func (x *examination) workers(ctx context.Context) {
	options := worker.Options{Log: slog.New(slog.DiscardHandler)}
	if x.Cache.Error == "" {
		options.CacheDir = x.Host.Cache("quickjs")
	}
	x.Workers = append(x.Workers,
		start("sandbox", func() (process, error) { return worker.StartSandbox(ctx, options) }),
		start("checker", func() (process, error) { return worker.StartChecker(ctx, options) }))
	x.Deno = x.Host.FindDeno(ctx)
	if x.Deno.Available {
		x.Workers = append(x.Workers, x.denoWorker(ctx))
	}
	if x.Deno.Warning != "" {
		x.warn(toolscript.EngineDeno, "toolscript deno install", "%s", x.Deno.Warning)
	}
	if !x.Deno.Available && x.loaded != nil && x.loaded.Settings.Engine == toolscript.EngineDeno {
		x.broken(toolscript.EngineDeno, "toolscript deno install", "the configuration chooses Deno: %s", x.Deno.Reason)
	}
	for _, w := range x.Workers {
		x.worker(w)
	}
}

// worker reports a process that does not start, or that lacks a part of the confinement.
func (x *examination) worker(w Worker) {
	switch {
	case w.Error == "":
	case w.Role == toolscript.EngineDeno: // scripts can run without Deno
		x.warn(w.Role, "toolscript deno install", "scripts cannot be run on Deno: %s", w.Error)
	default:
		x.broken(w.Role, "", "scripts cannot be run: %s", w.Error)
	}
	advice := "a newer kernel has it; the other restrictions hold"
	if runtime.GOOS == "windows" {
		advice = "docs/platforms.md says what this system can enforce; the other restrictions hold"
	}
	for _, part := range w.Confinement {
		if !part.Active {
			x.warn(w.Role, advice, "its processes run without %s: %s", part.Name, part.Detail)
		}
	}
}

func (x *examination) denoWorker(ctx context.Context) Worker {
	engine, err := deno.NewEngine(ctx, deno.Options{Executable: x.Deno.Path, Folder: x.Host.Cache("deno"), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return Worker{Role: toolscript.EngineDeno, Error: err.Error()}
	}
	w := start(toolscript.EngineDeno, func() (process, error) { return engine.Start(ctx, "doctor") })
	if err := engine.Close(); err != nil && w.Error == "" {
		w.Error = err.Error()
	}
	return w
}

// process is a script process that can be examined.
type process interface {
	Confinement() []toolscript.Confinement
	RSS() int64
	Close()
}

// start starts a process, reads its properties, and ends it.
func start(role string, begin func() (process, error)) Worker {
	w := Worker{Role: role}
	begun := time.Now()
	p, err := begin()
	if err != nil {
		if classed, is := errors.AsType[*toolscript.Error](err); is {
			err = classed.Err
		}
		w.Error = err.Error()
		return w
	}
	defer p.Close()
	w.StartMs = float64(time.Since(begun).Microseconds()) / 1000
	w.MemoryMB = float64(p.RSS()) / (1 << 20)
	w.Confinement = p.Confinement()
	return w
}

// kernelRelease returns the version of the Linux kernel, or "" on other systems.
func kernelRelease() string {
	text, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
