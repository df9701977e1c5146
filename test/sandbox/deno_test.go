//go:build !windows && !nodeno

package sandbox_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/workers"
	"github.com/toolscript/toolscript/runner/deno"
)

// engines are the engines that scripts run on.
var engines = []string{toolscript.EngineQuickJS, toolscript.EngineDeno}

// denoEngine is the second engine.
type denoEngine struct{ *deno.Engine }

func newDeno(t *testing.T) denoEngine {
	t.Helper()
	engine, err := deno.NewEngine(t.Context(), deno.Options{Executable: denoPath(t), Folder: filepath.Join(folder(t), "deno")})
	if err != nil {
		t.Fatal(err)
	}
	return denoEngine{engine}
}

// scripts adds the engine to s.
func (e denoEngine) scripts(s actors.Scripts) actors.Scripts {
	s.Deno = func() toolscript.EngineStatus {
		return toolscript.EngineStatus{Name: toolscript.EngineDeno, Available: true}
	}
	s.StartDeno = func(ctx context.Context, version string) (workers.Worker, error) { return e.Start(ctx, version) }
	s.SpareDeno = 1
	return s
}

func (e denoEngine) close() error { return e.Close() }
