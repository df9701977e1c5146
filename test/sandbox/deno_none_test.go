//go:build windows || nodeno

package sandbox_test

import (
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
)

// engines are the engines that scripts run on. The emulations of other systems, in which these tests run, have no Deno.
var engines = []string{toolscript.EngineQuickJS}

// denoEngine stands for the second engine, which is not there.
type denoEngine struct{}

func newDeno(*testing.T) denoEngine { return denoEngine{} }

func (denoEngine) scripts(s actors.Scripts) actors.Scripts { return s }

func (denoEngine) close() error { return nil }
