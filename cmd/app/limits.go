package app

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/runs"
)

// Limits holds the flags for the limits of one run. Without a flag, the limit of the
// configuration applies. The help shows the defaults.
type Limits struct {
	timeout, cpu          Duration
	memory, stack         Count
	toolCalls             Count
	concurrency           Count
	questions             Count
	value, output, source Bytes
	logLines              Count
}

// Add adds the flags.
func (l *Limits) Add(f *pflag.FlagSet) {
	l.memory.Unit, l.stack.Unit = "MB", "KB"
	d := runs.Defaults
	f.Var(&l.timeout, "timeout", "end the script after this time, such as 500ms, 30s or 2m, including the wait for servers"+ofTime(d.TimeoutMs))
	f.Var(&l.cpu, "cpu", "processor time the script may use"+ofTime(d.CPUMs))
	f.Var(&l.memory, "memory", "JavaScript heap the script may use"+ofCount(d.MemoryMB))
	f.Var(&l.stack, "stack", "JavaScript stack the script may use"+ofCount(d.StackKB))
	f.Var(&l.toolCalls, "tool-calls", "tool calls the script may make"+ofCount(d.ToolCalls))
	f.Var(&l.concurrency, "concurrency", "tool calls in flight at a time; more calls wait in order"+ofCount(d.Concurrency))
	f.Var(&l.questions, "questions", "questions that servers may ask you"+ofCount(d.Questions))
	f.Var(&l.source, "max-source", "length of the script, such as 20KB or 1MB"+ofBytes(d.SourceBytes))
	f.Var(&l.value, "max-value", "length of the script's value as JSON"+ofBytes(d.ValueBytes))
	f.Var(&l.output, "max-output", "length of the script's output; toolscript output prints the rest"+ofBytes(d.OutputBytes))
	f.Var(&l.logLines, "log-lines", "lines of the script's output"+ofCount(d.LogLines))
}

// Limits returns the limits for a request; 0 for flags that are not set.
func (l *Limits) Limits() toolscript.Limits {
	return toolscript.Limits{
		TimeoutMs:   time.Duration(l.timeout).Milliseconds(),
		CPUMs:       time.Duration(l.cpu).Milliseconds(),
		MemoryMB:    l.memory.N,
		StackKB:     l.stack.N,
		ToolCalls:   l.toolCalls.N,
		Concurrency: l.concurrency.N,
		Questions:   l.questions.N,
		SourceBytes: int64(l.source),
		ValueBytes:  int64(l.value),
		OutputBytes: int64(l.output),
		LogLines:    l.logLines.N,
	}
}

// ofTime, ofCount and ofBytes format the default of a flag for its usage text.
func ofTime(ms int64) string {
	text := (time.Duration(ms) * time.Millisecond).String()
	if minutes, whole := strings.CutSuffix(text, "m0s"); whole {
		text = minutes + "m"
	}
	return " (default " + text + ")"
}

func ofCount(n int64) string { return fmt.Sprintf(" (default %d)", n) }

func ofBytes(n int64) string { return fmt.Sprintf(" (default %dMB)", n>>20) }
