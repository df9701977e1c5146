package execution

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/toolscript/toolscript"
)

// Defaults bound a run of `exec`. Waiting for servers to start does not count.
var Defaults = toolscript.Limits{
	TimeoutMs:   5 * 60 * 1000,
	CPUMs:       30 * 1000,
	MemoryMB:    96,
	StackKB:     512, // the most the engine's shadow stack can hold
	ToolCalls:   1000,
	Concurrency: 16,
	Questions:   100,
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
	Questions:   10_000,
	SourceBytes: 1 << 20,
	ValueBytes:  24 << 20, // less than a worker's longest message
	OutputBytes: 1 << 30,
	LogLines:    1_000_000_000,
}

// bounds are the limits, each with the option of `exec` that asks for it.
var bounds = []struct {
	option, unit string
	of           func(*toolscript.Limits) *int64
}{
	{"--timeout", " ms", func(l *toolscript.Limits) *int64 { return &l.TimeoutMs }},
	{"--cpu", " ms", func(l *toolscript.Limits) *int64 { return &l.CPUMs }},
	{"--memory", " MB", func(l *toolscript.Limits) *int64 { return &l.MemoryMB }},
	{"--stack", " KB", func(l *toolscript.Limits) *int64 { return &l.StackKB }},
	{"--calls", "", func(l *toolscript.Limits) *int64 { return &l.ToolCalls }},
	{"--parallel", "", func(l *toolscript.Limits) *int64 { return &l.Concurrency }},
	{"--questions", "", func(l *toolscript.Limits) *int64 { return &l.Questions }},
	{"--max-source", " bytes", func(l *toolscript.Limits) *int64 { return &l.SourceBytes }},
	{"--max-value", " bytes", func(l *toolscript.Limits) *int64 { return &l.ValueBytes }},
	{"--max-output", " bytes", func(l *toolscript.Limits) *int64 { return &l.OutputBytes }},
	{"--max-lines", "", func(l *toolscript.Limits) *int64 { return &l.LogLines }},
}

// Effective is what bounds a run: asked, where it says something, else what is
// configured, else Defaults, and never more than the ceilings. lowered has, of the
// limits that the ceilings have lowered, what was asked or configured.
func Effective(asked, configured toolscript.Limits) (limits, lowered toolscript.Limits) {
	defaults, most := Defaults, ceilings
	for _, b := range bounds {
		wanted := cmp.Or(*b.of(&asked), *b.of(&configured), *b.of(&defaults))
		*b.of(&limits) = min(wanted, *b.of(&most))
		if wanted > *b.of(&most) {
			*b.of(&lowered) = wanted
		}
	}
	return limits, lowered
}

// Lowered says in one line which limits are not what was asked for; "" when all
// are.
func Lowered(lowered toolscript.Limits) string {
	var parts []string
	most := ceilings
	for _, b := range bounds {
		if wanted := *b.of(&lowered); wanted > 0 {
			parts = append(parts, fmt.Sprintf("%s %d is lowered to %d%s", b.option, wanted, *b.of(&most), b.unit))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + ": no run may have more"
}
