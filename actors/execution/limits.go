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
	LogLines:    1_000_000,
}

// ceilings are what no request can raise a limit above: the engine's memory and
// stack are fixed when its image is made, a source has to be compiled, and the
// rest has to be held by the gateway.
var ceilings = toolscript.Limits{
	TimeoutMs:   24 * 60 * 60 * 1000,
	CPUMs:       24 * 60 * 60 * 1000,
	MemoryMB:    96,
	StackKB:     512,
	ToolCalls:   100_000,
	Concurrency: 256,
	SourceBytes: 1 << 20,
	ValueBytes:  24 << 20, // less than a worker's longest message
	OutputBytes: 1 << 30,
	LogLines:    1_000_000_000,
}

// Effective is what bounds a run: asked, where it says something, else
// defaults, and never more than the ceilings.
func Effective(asked, defaults toolscript.Limits) toolscript.Limits {
	limit := func(asked, otherwise, ceiling int64) int64 {
		if asked > 0 {
			return min(asked, ceiling)
		}
		return min(otherwise, ceiling)
	}
	return toolscript.Limits{
		TimeoutMs:   limit(asked.TimeoutMs, defaults.TimeoutMs, ceilings.TimeoutMs),
		CPUMs:       limit(asked.CPUMs, defaults.CPUMs, ceilings.CPUMs),
		MemoryMB:    limit(asked.MemoryMB, defaults.MemoryMB, ceilings.MemoryMB),
		StackKB:     limit(asked.StackKB, defaults.StackKB, ceilings.StackKB),
		ToolCalls:   limit(asked.ToolCalls, defaults.ToolCalls, ceilings.ToolCalls),
		Concurrency: limit(asked.Concurrency, defaults.Concurrency, ceilings.Concurrency),
		SourceBytes: limit(asked.SourceBytes, defaults.SourceBytes, ceilings.SourceBytes),
		ValueBytes:  limit(asked.ValueBytes, defaults.ValueBytes, ceilings.ValueBytes),
		OutputBytes: limit(asked.OutputBytes, defaults.OutputBytes, ceilings.OutputBytes),
		LogLines:    limit(asked.LogLines, defaults.LogLines, ceilings.LogLines),
	}
}
