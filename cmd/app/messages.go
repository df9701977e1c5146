package app

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/toolscript/toolscript"

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

// Input reads up to most bytes of standard input, or of another file, while ctx lasts.
func (a *App) Input(ctx context.Context, from io.Reader, most int64) ([]byte, error) {
	return terminal.Await(ctx, func() ([]byte, error) { return io.ReadAll(io.LimitReader(from, most)) })
}

// Ask asks the user at the terminal for one line.
func (a *App) Ask(ctx context.Context, prompt string) (string, error) {
	if a.answers == nil {
		a.answers = bufio.NewReader(a.Stdin)
	}
	a.Notice.Hide()
	return terminal.Ask(ctx, a.answers, a.Stderr, prompt)
}

// Agrees asks the user a question, and reports whether the answer is yes. No answer means no.
func (a *App) Agrees(ctx context.Context, question string) (bool, error) {
	answer, err := a.Ask(ctx, question+" [y/N] ")
	if errors.Is(err, terminal.ErrNoAnswer) {
		return false, nil
	}
	return err == nil && terminal.Affirmed(answer), err
}

// Code reads the code of a request from standard input.
func (a *App) Code(ctx context.Context) (string, error) {
	_, _ = io.WriteString(a.Stderr, "Code: ") // a broken terminal fails the read, too
	return terminal.Await(ctx, func() (string, error) {
		line, _ := bufio.NewReader(a.Stdin).ReadString('\n') // the input may end without a newline
		if line = strings.TrimSpace(line); line == "" {
			return "", &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New("no code was given; the call still waits")}
		}
		return line, nil
	})
}
