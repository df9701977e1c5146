package actors

import (
	"context"
	"errors"
	"fmt"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/workers"
)

// denoSpec is the pool of processes that run one script each on Deno.
func (s *System) denoSpec() spec {
	o := s.options.Scripts
	start := func(ctx context.Context) (workers.Worker, error) {
		// Of two gateways on one port one after the other, and of two catalogs of
		// one gateway, none has the version of the other.
		return o.StartDeno(ctx, fmt.Sprintf("%x-%d", s.started.UnixNano(), s.Catalog().Generation()))
	}
	return spec{id: denosID, produce: workers.New(workers.Options{Name: "Deno", Start: start, Spare: o.SpareDeno, Work: &s.work})}
}

// Engines are the engines that there could be, and whether they are here.
func (s *System) Engines() []toolscript.EngineStatus {
	return []toolscript.EngineStatus{{Name: toolscript.EngineQuickJS, Available: true}, s.deno()}
}

func (s *System) deno() toolscript.EngineStatus {
	if o := s.options.Scripts; o.StartDeno != nil && o.Deno != nil {
		return o.Deno()
	}
	return toolscript.EngineStatus{Name: toolscript.EngineDeno, Reason: "this gateway runs no scripts on Deno"}
}

// engineFor is the engine that runs a script which asks for asked.
func (s *System) engineFor(asked string) (string, error) {
	switch asked {
	case toolscript.EngineAuto:
		if s.deno().Available {
			return toolscript.EngineDeno, nil
		}
	case toolscript.EngineDeno:
		if status := s.deno(); !status.Available {
			return "", &toolscript.Error{Kind: toolscript.Unsupported, Err: errors.New("engine deno is not here: " + status.Reason)}
		}
		return toolscript.EngineDeno, nil
	}
	return toolscript.EngineQuickJS, nil
}
