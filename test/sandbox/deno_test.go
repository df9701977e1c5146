//go:build !windows && !nodeno

package sandbox_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/workers"
	"github.com/toolscript/toolscript/runner/deno"
)

// engines are the engines that scripts run on. newDeno removes the second one if it is not on this machine.
var engines = []string{toolscript.EngineQuickJS, toolscript.EngineDeno}

// denoEngine is the second engine; nil if it is not there.
type denoEngine struct{ *deno.Engine }

func newDeno(t *testing.T) denoEngine {
	t.Helper()
	path := denoPath()
	if path == "" {
		t.Logf("no Deno here: run npm ci in test, or set %s", deno.Variable)
		engines = engines[:1]
		return denoEngine{}
	}
	engine, err := deno.NewEngine(t.Context(), deno.Options{Executable: path, Folder: filepath.Join(folder(t), "deno")})
	if err != nil {
		t.Fatal(err)
	}
	return denoEngine{engine}
}

// scripts adds the engine to s.
func (e denoEngine) scripts(s actors.Scripts) actors.Scripts {
	if e.Engine == nil {
		return s
	}
	s.Deno = func() toolscript.EngineStatus {
		return toolscript.EngineStatus{Name: toolscript.EngineDeno, Available: true}
	}
	s.StartDeno = func(ctx context.Context, version string) (workers.Worker, error) { return e.Start(ctx, version) }
	s.SpareDeno = 1
	return s
}

func (e denoEngine) close() error {
	if e.Engine == nil {
		return nil
	}
	return e.Close()
}

// denoPath returns the Deno for the tests: the version that test/package.json pins, or else
// TOOLSCRIPT_DENO, or else the one in PATH, or "".
func denoPath() string {
	if runtime.GOOS == "linux" {
		pinned, err := filepath.Abs("../node_modules/@deno/linux-x64-glibc/deno")
		if _, missing := os.Stat(pinned); err == nil && missing == nil {
			return pinned
		}
	}
	if named := os.Getenv(deno.Variable); named != "" {
		return named
	}
	found, _ := exec.LookPath("deno")
	return found
}
