package app

import (
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/toolscript/toolscript/cmd/logfile"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// Say prints a message on stderr. Control characters are replaced, because messages
// quote servers and scripts. Write errors are ignored: the exit code has the result.
func (a *App) Say(format string, args ...any) {
	a.Notice.Hide()
	_, _ = io.WriteString(a.Stderr, a.Again(terminal.VisibleText(fmt.Sprintf(format, args...)))+"\n")
}

// Waiting shows a notice until over is called.
func (a *App) Waiting(text string) (over func()) {
	a.Notice.Show(text)
	return a.Notice.End
}

// Warn prints a warning.
func (a *App) Warn(format string, args ...any) { a.Say("toolscript: warning: "+format, args...) }

// Print prints a text of toolscript on stdout.
func (a *App) Print(format string, args ...any) error {
	_, err := io.WriteString(a.Stdout, a.Again(fmt.Sprintf(format, args...))+"\n")
	return err
}

// Coloured reports whether output to w may have colours. NO_COLOR wins over CLICOLOR_FORCE, which colours
// even output that is not a terminal.
func (a *App) Coloured(w io.Writer) bool {
	force := a.Getenv("CLICOLOR_FORCE")
	switch {
	case a.Getenv("NO_COLOR") != "":
		return false
	case force != "" && force != "0":
		return true
	default:
		return terminal.Is(w) && a.Getenv("TERM") != "dumb" && a.Getenv("CLICOLOR") != "0"
	}
}

// Logger returns a logger to stderr, with the level of the flag, else with level.
func (a *App) Logger(level slog.Level) *slog.Logger { return a.LoggerTo(a.Stderr, level) }

// LoggerTo returns a logger to w, with the level of the flag, else with level.
func (a *App) LoggerTo(w io.Writer, level slog.Level) *slog.Logger {
	levels := logfile.Levels{Default: a.logLevel.Or(level), Sources: a.logLevel.Sources}
	options := &slog.HandlerOptions{Level: levels.Lowest(), ReplaceAttr: func(_ []string, attr slog.Attr) slog.Attr {
		if attr.Value.Kind() == slog.KindString {
			attr.Value = slog.StringValue(a.Again(attr.Value.String()))
		}
		return attr
	}}
	return slog.New(logfile.NewHandler(w, func(to io.Writer) slog.Handler {
		if a.logFormat.Value == "json" {
			return levels.Over(slog.NewJSONHandler(to, options))
		}
		return levels.Over(slog.NewTextHandler(to, options))
	}))
}

// WarnUnused warns about flags on the command line that have no effect because a running
// gateway answers.
func (a *App) WarnUnused(search *Search) {
	if names := search.OnCommandLine(); len(names) > 0 {
		a.Warn("no effect: %s; the running gateway uses the flags that it was started with", strings.Join(names, ", "))
	}
}
