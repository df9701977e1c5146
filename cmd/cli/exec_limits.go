package cli

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/toolscript/toolscript"
)

// limitFlags bound one run. One that is not given leaves the limit to the
// configuration, whose names it has in the help.
type limitFlags struct {
	timeout, cpu          durationFlag
	memory                megabytesFlag
	stack                 countFlag
	calls, parallel       countFlag
	questions             countFlag
	value, output, source bytesFlag
	lines                 countFlag
}

func (l *limitFlags) add(f *pflag.FlagSet) {
	l.stack.unit, l.calls.unit, l.parallel.unit, l.questions.unit, l.lines.unit = "KB", "n", "n", "n", "n"
	f.Var(&l.timeout, "timeout", "end the script after this time, as 500ms, 30s or 2m; waiting for servers to start does not count")
	f.Var(&l.cpu, "cpu", "processor time the script may use")
	f.Var(&l.memory, "memory", "JavaScript heap the script may use")
	f.Var(&l.stack, "stack", "JavaScript stack the script may use")
	f.Var(&l.calls, "calls", "tool calls the script may make")
	f.Var(&l.parallel, "parallel", "tool calls under way at once; more wait in order")
	f.Var(&l.questions, "questions", "questions that servers may put to you")
	f.Var(&l.source, "max-source", "length of the script, as 20KB or 1MB")
	f.Var(&l.value, "max-value", "length of its value as JSON")
	f.Var(&l.output, "max-output", "length of what it prints; the gateway keeps the rest, see toolscript output")
	f.Var(&l.lines, "max-lines", "lines of what it prints")
}

func (l *limitFlags) limits() toolscript.Limits {
	return toolscript.Limits{
		TimeoutMs:   time.Duration(l.timeout).Milliseconds(),
		CPUMs:       time.Duration(l.cpu).Milliseconds(),
		MemoryMB:    int64(l.memory),
		StackKB:     l.stack.n,
		ToolCalls:   l.calls.n,
		Concurrency: l.parallel.n,
		Questions:   l.questions.n,
		SourceBytes: int64(l.source),
		ValueBytes:  int64(l.value),
		OutputBytes: int64(l.output),
		LogLines:    l.lines.n,
	}
}
