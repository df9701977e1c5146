package exec

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/runs/kept"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/daemon"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// CheckFiles returns an error if the files and folders of the flags cannot be used. It is
// called before the script runs.
func (o *Options) CheckFiles() error {
	if o.Plan && o.Out != "" {
		return app.Usage(o.Script.Command, "--plan prints calls and no value: leave out --out")
	}
	if err := o.checkDetach(); err != nil {
		return err
	}
	if o.needs != nil && len(o.needs) == 0 {
		return app.Usage(o.Script.Command, "--needs is empty: name a tool, or leave it out")
	}
	if o.Out != "" {
		creatable := terminal.Creatable
		if o.toFolder() {
			creatable = terminal.MakeDir
		}
		if err := creatable(o.Absolute(o.Out)); err != nil {
			return err
		}
	}
	if o.Cwd != "" {
		return o.isFolder(o.Cwd)
	}
	return nil
}

// toFolder reports whether --out names a folder: one that exists, or a path that ends with
// a separator.
func (o *Options) toFolder() bool {
	if o.Out == "" || os.IsPathSeparator(o.Out[len(o.Out)-1]) {
		return o.Out != ""
	}
	info, err := os.Stat(o.Absolute(o.Out))
	return err == nil && info.IsDir()
}

// isFolder returns an error if --cwd is not a folder.
func (o *Options) isFolder(path string) error {
	switch info, err := os.Stat(o.Absolute(path)); {
	case err != nil:
		return fmt.Errorf("--cwd %s: %s", path, terminal.WithoutPath(err))
	case !info.IsDir():
		return fmt.Errorf("--cwd %s is not a folder", path)
	}
	return nil
}

// findScript finds the script of the command line.
func (o *Options) findScript(ctx context.Context, args []string) (Script, error) {
	o.Script.Dir, o.Script.Stdin, o.Script.Args = o.Dir, o.Stdin, args
	return o.Script.Find(ctx)
}

// terminalTokens is the default limit of a value on a terminal, in tokens.
const terminalTokens = 10_000

// Printer returns a printer of values, limited by --max-tokens, the configuration or the terminal.
func (o *Options) Printer() terminal.ValuePrinter {
	p := terminal.ValuePrinter{Describe: true, Keep: func(runID string, v []byte) error { return KeepValue(o.App, runID, v) }, Say: o.Say}
	p.Write = func(w io.Writer, text []byte) error { return o.writeValue(w, text, o.Form) }
	switch {
	case o.toFolder():
		p.Dir, p.DirName = o.Absolute(o.Out), o.Out
	case o.Out != "":
		p.File = o.Absolute(o.Out)
	}
	tokens, said := o.MaxTokens.N, o.MaxTokens.Given
	if !said {
		tokens, said = ConfiguredTokens(o.App, o.Trust)
	}
	switch {
	case said:
		p.Most, p.Describe = tokens*terminal.BytesPerToken, tokens > 0
	case terminal.Is(o.Stdout):
		p.Most = terminalTokens * terminal.BytesPerToken
	}
	return p
}

// writeValue writes the text of a value in a form.
func (o *Options) writeValue(w io.Writer, text []byte, f terminal.Form) error {
	width := 0
	if o.Out == "" {
		width = terminal.Columns(o.Stdout)
	}
	var plain string
	var indented bytes.Buffer
	switch {
	case f == terminal.AsTable:
		return terminal.WriteValueTable(w, width, text)
	case f == terminal.AsRaw && json.Unmarshal(text, &plain) == nil && text[0] == '"':
		text = []byte(strings.TrimSuffix(plain, "\n"))
	case f == "" && o.Out == "" && terminal.Is(o.Stdout) && json.Indent(&indented, text, "", "  ") == nil: // a text that was cut is not valid JSON
		text = indented.Bytes()
	}
	_, err := w.Write(append(text, '\n'))
	return err
}

// runLimits returns the limits of the run. --max-tokens also limits the console output, unless --max-output
// is given, because both go to the same reader.
func (o *Options) runLimits() toolscript.Limits {
	limits := o.limits.Limits()
	if most := int64(o.MaxTokens.N) * terminal.BytesPerToken; o.MaxTokens.Given && limits.OutputBytes == 0 {
		limits.OutputBytes = most
	}
	return limits
}

// mentioned returns the settings of a configuration whose files have a text, which saves others the time to load it. An
// error in the configuration is reported where a run starts; then, settings is nil.
func mentioned(a *app.App, trust bool, key string) (settings *config.Settings, is bool) {
	from := a.Host.ConfigOptions(trust)
	if !config.Mentions(from, key) {
		return nil, false
	}
	loaded, err := config.Load(from)
	if err != nil {
		return nil, true
	}
	return &loaded.Settings, true
}

// ConfiguredTokens returns output.maxTokens of the configuration.
func ConfiguredTokens(a *app.App, trust bool) (tokens int, set bool) {
	s, _ := mentioned(a, trust, "maxTokens")
	if s == nil || s.Output.MaxTokens == nil {
		return 0, false
	}
	return *s.Output.MaxTokens, true
}

// MediaLimits returns the largest number and size of the images and sounds of a value that a model is shown.
func MediaLimits(a *app.App, trust bool) (blocks, bytes int64) {
	var media config.Media
	if s, _ := mentioned(a, trust, "mediaB"); s != nil {
		media = s.Media
	}
	return media.Most()
}

// OffersPrompts reports whether MCP clients get the prompts, resources, skills and apps of servers.
func OffersPrompts(a *app.App, trust bool) bool {
	s, is := mentioned(a, trust, "prompts")
	return !is || s != nil && !s.Output.NoPrompts
}

// TaskAfter returns how long a script of an MCP client lasts before it becomes a task; 0 is the default.
func TaskAfter(a *app.App, trust bool) time.Duration {
	if s, _ := mentioned(a, trust, "taskAfter"); s != nil {
		return s.Output.TaskAfter
	}
	return 0
}

// KeepValue stores a value for toolscript output.
func KeepValue(a *app.App, runID string, v []byte) error {
	return a.Host.Outputs().Put(runID, kept.Value, v)
}

// HarnessPlace is where scripts run: a running gateway, or a daemon of this process.
type HarnessPlace interface {
	Place
	Harness(ctx context.Context, req toolscript.HarnessRequest, emit func(json.RawMessage) error) error
}

// Place returns a running gateway, else a daemon of this process. release ends its use.
func (o *Options) Place(ctx context.Context) (at HarnessPlace, release func(), err error) {
	g, err := o.Target.Shared(ctx, o.Trust)
	if err != nil {
		return nil, nil, err
	}
	if g != nil {
		o.WarnUnused(&o.search)
		return o.at(g), g.Close, nil
	}
	own, err := o.start(ctx)
	if err != nil {
		return nil, nil, err
	}
	return OwnPlace{own}, func() {
		if err := own.Stop(); err != nil {
			o.Warn("%v", err)
		}
	}, nil
}

// start starts a daemon in this process. It connects to a server only if the script calls it, or uses it
// while its tools are unknown.
func (o *Options) start(ctx context.Context) (*daemon.Daemon, error) {
	loaded, err := o.Host.Load(o.Trust)
	if err != nil {
		return nil, err
	}
	return o.Host.Start(loaded, daemon.Options{
		Trust: o.Trust, Search: o.search.Over, Logger: o.Logger(slog.LevelWarn), Telemetry: true, Lent: o.Target.Lent(ctx, loaded), Actors: actors.Options{OnDemand: true, Rest: true, Approvals: o.Approvals()},
	})
}
