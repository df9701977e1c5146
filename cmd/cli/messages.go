package cli

import (
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/toolscript/toolscript/cmd/flags"
	"github.com/toolscript/toolscript/cmd/logfile"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// say prints a message on stderr. Control characters are replaced, because messages
// quote servers and scripts. Write errors are ignored: the exit code has the result.
func (a *app) say(format string, args ...any) {
	a.notice.Hide()
	_, _ = io.WriteString(a.Stderr, a.again(terminal.VisibleText(fmt.Sprintf(format, args...)))+"\n")
}

// waiting shows a notice until over is called.
func (a *app) waiting(text string) (over func()) {
	a.notice.Show(text)
	return a.notice.End
}

// warn prints a warning.
func (a *app) warn(format string, args ...any) { a.say("toolscript: warning: "+format, args...) }

// print prints a text of toolscript on stdout.
func (a *app) print(format string, args ...any) error {
	_, err := io.WriteString(a.Stdout, a.again(fmt.Sprintf(format, args...))+"\n")
	return err
}

// coloured reports whether output to w may have colours. NO_COLOR wins over CLICOLOR_FORCE, which colours
// even output that is not a terminal.
func (a *app) coloured(w io.Writer) bool {
	force := a.getenv("CLICOLOR_FORCE")
	switch {
	case a.getenv("NO_COLOR") != "":
		return false
	case force != "" && force != "0":
		return true
	default:
		return terminal.Is(w) && a.getenv("TERM") != "dumb" && a.getenv("CLICOLOR") != "0"
	}
}

// logger returns a logger to stderr, with the level of the flag, else with level.
func (a *app) logger(level slog.Level) *slog.Logger { return a.loggerTo(a.Stderr, level) }

func (a *app) loggerTo(w io.Writer, level slog.Level) *slog.Logger {
	levels := logfile.Levels{Default: a.logLevel.Or(level), Sources: a.logLevel.Sources}
	options := &slog.HandlerOptions{Level: levels.Lowest(), ReplaceAttr: func(_ []string, attr slog.Attr) slog.Attr {
		if attr.Value.Kind() == slog.KindString {
			attr.Value = slog.StringValue(a.again(attr.Value.String()))
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

// warnUnused warns about flags on the command line that have no effect because a running
// gateway answers.
func (a *app) warnUnused(search *flags.Search) {
	if names := search.OnCommandLine(); len(names) > 0 {
		a.warn("no effect: %s; the running gateway uses the flags that it was started with", strings.Join(names, ", "))
	}
}
