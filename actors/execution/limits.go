package execution

import "github.com/toolscript/toolscript"

// Defaults bound a run of `exec`. Waiting for servers to start does not count.
var Defaults = toolscript.Limits{
	TimeoutMs:   5 * 60 * 1000,
	CPUMs:       30 * 1000,
	MemoryMB:    96,
	StackKB:     512, // the most the engine's shadow stack can hold
	ToolCalls:   1000,
	Concurrency: 16,
	SourceBytes: 1 << 20,
	ValueBytes:  16 << 20,
	OutputBytes: 16 << 20,
}

// ceilings are what no request can raise a limit above: the engine's memory
// and stack are fixed when its image is made.
var ceilings = toolscript.Limits{MemoryMB: 96, StackKB: 512}

// Effective is what bounds a run: asked, where it says something, else defaults.
func Effective(asked, defaults toolscript.Limits) toolscript.Limits {
	or := func(v, otherwise int64) int64 {
		if v > 0 {
			return v
		}
		return otherwise
	}
	return toolscript.Limits{
		TimeoutMs:   or(asked.TimeoutMs, defaults.TimeoutMs),
		CPUMs:       or(asked.CPUMs, defaults.CPUMs),
		MemoryMB:    min(or(asked.MemoryMB, defaults.MemoryMB), ceilings.MemoryMB),
		StackKB:     min(or(asked.StackKB, defaults.StackKB), ceilings.StackKB),
		ToolCalls:   or(asked.ToolCalls, defaults.ToolCalls),
		Concurrency: or(asked.Concurrency, defaults.Concurrency),
		SourceBytes: or(asked.SourceBytes, defaults.SourceBytes),
		ValueBytes:  or(asked.ValueBytes, defaults.ValueBytes),
		OutputBytes: or(asked.OutputBytes, defaults.OutputBytes),
	}
}
