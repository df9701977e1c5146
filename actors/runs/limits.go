package runs

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/toolscript/toolscript"
)

// Defaults are the limits of a run. The time includes waits for servers.
var Defaults = toolscript.Limits{
	TimeoutMs:   5 * 60 * 1000,
	CPUMs:       30 * 1000,
	MemoryMB:    96,
	StackKB:     512, // the maximum of the engine's shadow stack
	ToolCalls:   1000,
	Concurrency: 16,
	Questions:   100,
	SourceBytes: 1 << 20,
	ValueBytes:  16 << 20,
	OutputBytes: 16 << 20,
	LogLines:    1_000_000,
}

// ceilings are the maximum of each limit: the memory and the stack of the engine are fixed in
// its image, a source has to be compiled, and the other limits bound memory of the gateway.
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

// bounds are the limits with their flags of the command exec.
var bounds = []struct {
	option, unit string
	of           func(*toolscript.Limits) *int64
}{
	{"--timeout", " ms", func(l *toolscript.Limits) *int64 { return &l.TimeoutMs }},
	{"--cpu", " ms", func(l *toolscript.Limits) *int64 { return &l.CPUMs }},
	{"--memory", " MB", func(l *toolscript.Limits) *int64 { return &l.MemoryMB }},
	{"--stack", " KB", func(l *toolscript.Limits) *int64 { return &l.StackKB }},
	{"--tool-calls", "", func(l *toolscript.Limits) *int64 { return &l.ToolCalls }},
	{"--concurrency", "", func(l *toolscript.Limits) *int64 { return &l.Concurrency }},
	{"--questions", "", func(l *toolscript.Limits) *int64 { return &l.Questions }},
	{"--max-source", " bytes", func(l *toolscript.Limits) *int64 { return &l.SourceBytes }},
	{"--max-value", " bytes", func(l *toolscript.Limits) *int64 { return &l.ValueBytes }},
	{"--max-output", " bytes", func(l *toolscript.Limits) *int64 { return &l.OutputBytes }},
	{"--log-lines", "", func(l *toolscript.Limits) *int64 { return &l.LogLines }},
}

// Effective returns the limits of a run. Each limit is the requested one, otherwise the
// configured one, otherwise that of Defaults, and at most that of ceilings. lowered has the
// requested or configured values that were above the ceilings. The limits of time are
// enforced by the engine and, with some grace, by Wait of session.Session.
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

// Lowered describes lowered limits in one line; "" if there is none.
func Lowered(lowered toolscript.Limits) string {
	var parts []string
	most := ceilings
	for _, b := range bounds {
		if wanted := *b.of(&lowered); wanted > 0 {
			parts = append(parts, fmt.Sprintf("%s %d is reduced to the maximum, %d%s", b.option, wanted, *b.of(&most), b.unit))
		}
	}
	return strings.Join(parts, "; ")
}
