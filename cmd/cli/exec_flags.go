package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/execution"
	"github.com/toolscript/toolscript/actors/execution/outputs"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/cmd/value"
)

// limitFlags bound one run. Limits without a flag come from the configuration, whose
// names the help shows.
type limitFlags struct {
	timeout, cpu          durationFlag
	memory                megabytesFlag
	stack                 countFlag
	toolCalls             countFlag
	concurrency           countFlag
	questions             countFlag
	value, output, source bytesFlag
	logLines              countFlag
}

func (l *limitFlags) add(f *pflag.FlagSet) {
	l.stack.unit, l.toolCalls.unit, l.concurrency.unit, l.questions.unit, l.logLines.unit = "KB", "n", "n", "n", "n"
	d := execution.Defaults
	f.Var(&l.timeout, "timeout", "end the script after this time, such as 500ms, 30s or 2m; waiting for servers to start does not count"+ofTime(d.TimeoutMs))
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

func (l *limitFlags) limits() toolscript.Limits {
	return toolscript.Limits{
		TimeoutMs:   time.Duration(l.timeout).Milliseconds(),
		CPUMs:       time.Duration(l.cpu).Milliseconds(),
		MemoryMB:    int64(l.memory),
		StackKB:     l.stack.n,
		ToolCalls:   l.toolCalls.n,
		Concurrency: l.concurrency.n,
		Questions:   l.questions.n,
		SourceBytes: int64(l.source),
		ValueBytes:  int64(l.value),
		OutputBytes: int64(l.output),
		LogLines:    l.logLines.n,
	}
}

// ofTime, ofCount and ofBytes format the default of a flag for its description.
func ofTime(ms int64) string {
	text := (time.Duration(ms) * time.Millisecond).String()
	if minutes, whole := strings.CutSuffix(text, "m0s"); whole {
		text = minutes + "m"
	}
	return " (default " + text + ")"
}

func ofCount(n int64) string { return fmt.Sprintf(" (default %d)", n) }

func ofBytes(n int64) string { return fmt.Sprintf(" (default %dMB)", n>>20) }

// terminalTokens is the default length of a value on a terminal.
const terminalTokens = 10_000

// printer prints values as the flag says, else as the configuration or the terminal does.
func (o *execOptions) printer() value.Printer {
	p := value.Printer{Describe: true, Keep: o.keepValue, Say: o.say}
	if o.out != "" {
		p.File = o.absolute(o.out)
	}
	tokens, said := o.maxTokens.n, o.maxTokens.given
	if !said {
		tokens, said = o.configuredTokens(o.trust)
	}
	switch {
	case said:
		p.Most, p.Describe = tokens*value.BytesPerToken, tokens > 0
	case terminal.Is(o.Stdout):
		p.Most = terminalTokens * value.BytesPerToken
	}
	return p
}

// configuredTokens returns output.maxTokens of the configuration. An error in the
// configuration is reported where a run starts.
func (a *app) configuredTokens(trust bool) (tokens int, set bool) {
	loaded, err := config.Load(a.host.ConfigOptions(trust))
	if err != nil || loaded.Settings.Output.MaxTokens == nil {
		return 0, false
	}
	return *loaded.Settings.Output.MaxTokens, true
}

// keepValue stores a value that toolscript output prints.
func (a *app) keepValue(runID string, v []byte) error {
	return a.host.Outputs().Put(runID, outputs.Value, v)
}
