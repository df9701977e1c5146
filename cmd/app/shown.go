package app

import (
	"cmp"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/actors/audit"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/internal/texts"
)

// answering are the commands whose output agents read. The audit counts the tokens of this output.
var answering = []string{
	"exec", "run", "call", "check", "search", "get-types", "list-tools", "list-servers", "output", "prompt",
	"runs output", "runs wait", "scripts list", "scripts show", "resources", "resources read", "prompts", "prompts get", "skills", "skills get",
	"hook user-prompt-submit",
}

// Printed collects what a command prints. It is safe for concurrent use.
type Printed struct {
	Command string

	mu      sync.Mutex
	Run     string // id of the run that is printed; "": there is none
	Session string // session of the agent; "": the session of the environment
	size    int
	tokens  int
}

// Write implements io.Writer.
func (p *Printed) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.size += len(text)
	p.tokens += texts.Tokens(text)
	return len(text), nil
}

// Line returns the line of the audit.
func (p *Printed) Line() audit.Line {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.tokens
	return audit.Line{Command: p.Command, Run: p.Run, Session: p.Session, Shown: &audit.Shown{Bytes: p.size, Count: audit.Count{Tokens: &n}}}
}

// watch counts the output of a command if an agent may read it: if neither output is a terminal.
func (a *App) watch(c *cobra.Command) {
	name := strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ")
	if !slices.Contains(answering, name) || terminal.Is(a.Stdout) || terminal.Is(a.Stderr) {
		return
	}
	a.Printed = &Printed{Command: name}
	a.Stdout, a.Stderr = io.MultiWriter(a.Stdout, a.Printed), io.MultiWriter(a.Stderr, a.Printed)
}

// NoteRun remembers the id of the run that is printed; "" changes nothing.
func (a *App) NoteRun(id string) {
	if p := a.Printed; p != nil && id != "" {
		p.mu.Lock()
		p.Run = id
		p.mu.Unlock()
	}
}

// NoteShown adds what a command has printed to the audit.
func (a *App) NoteShown() {
	if a.Printed == nil {
		return
	}
	if line := a.Printed.Line(); line.Shown.Bytes > 0 || line.Run != "" {
		a.Audit(line)
	}
}

// Audit adds a line to the audit, unless the configuration switches it off. If the line cannot be written, it
// is lost: the audit must not disturb the command.
func (a *App) Audit(line audit.Line) {
	var settings config.Audit
	if _, err := a.Host.AuditFolder(); err != nil { // without a folder there is no audit
		return
	}
	if o := a.Host.ConfigOptions(false); config.Mentions(o, `"audit"`) {
		loaded, err := config.Load(o)
		if err != nil {
			return
		}
		settings = loaded.Settings.Audit
	}
	log := a.Host.Audit(settings, slog.New(slog.DiscardHandler))
	line.Time, line.Session = time.Now(), cmp.Or(line.Session, discovery.Session(a.LookupEnv))
	log.Shown(line)
	log.Close()
}
