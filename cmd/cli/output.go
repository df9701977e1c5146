package cli

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"unicode"

	"golang.org/x/term"
)

// say prints a message on stderr. Control characters are replaced, because messages
// quote servers and scripts. Write errors are ignored: the exit code has the result.
func (a *app) say(format string, args ...any) {
	a.notice.hide()
	_, _ = io.WriteString(a.Stderr, visibleText(fmt.Sprintf(format, args...))+"\n")
}

// warn prints a warning.
func (a *app) warn(format string, args ...any) { a.say("toolscript: warning: "+format, args...) }

// print prints data on stdout.
func (a *app) print(format string, args ...any) error {
	_, err := fmt.Fprintf(a.Stdout, format+"\n", args...)
	return err
}

// oneLine joins the lines of a text.
func oneLine(text string) string { return visible(strings.Join(strings.Fields(text), " ")) }

// visible replaces characters that could overwrite the terminal, hide text or change its
// direction by U+FFFD.
func visible(text string) string { return strings.Map(visibleRune, text) }

// visibleText is visible for a text with several lines.
func visibleText(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return visibleRune(r)
	}, text)
}

func visibleRune(r rune) rune {
	if r != '\t' && !unicode.IsGraphic(r) || unicode.Is(unicode.Bidi_Control, r) {
		return unicode.ReplacementChar
	}
	return r
}

// coloured reports whether output to w may have colours: w is a terminal and NO_COLOR is
// not set (no-color.org: "when present and not an empty string").
func (a *app) coloured(w io.Writer) bool {
	return isTerminal(w) && a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb"
}

// isTerminal reports whether a stream is a character device. /dev/null is one too, which
// does no harm.
func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// columns is the width of a terminal; 0 if w is not a terminal.
func columns(w io.Writer) int {
	width, _ := size(w)
	return width
}

// rows is the height of a terminal; 0 if w is not a terminal.
func rows(w io.Writer) int {
	_, height := size(w)
	return height
}

func size(w io.Writer) (width, height int) {
	file, ok := w.(*os.File)
	if !ok || !isTerminal(file) {
		return 0, 0
	}
	width, height, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0, 0
	}
	return max(width, 0), max(height, 0)
}

var levels = map[string]slog.Level{
	"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
}

// levelFlag accepts the names of levels in other programs too, because many programs
// read LOG_LEVEL.
type levelFlag struct{ choiceFlag }

var levelAliases = map[string]string{"trace": "debug", "warning": "warn", "critical": "error", "fatal": "error"}

func (l *levelFlag) Set(text string) error {
	return l.choiceFlag.Set(cmp.Or(levelAliases[strings.ToLower(text)], text))
}

// logger logs to stderr, at the level of the flag, else at the default of the command.
func (a *app) logger(level slog.Level) *slog.Logger {
	if asked, ok := levels[a.logLevel.value]; ok {
		level = asked
	}
	options := &slog.HandlerOptions{Level: level}
	if a.logFormat.value == "json" {
		return slog.New(slog.NewJSONHandler(a.Stderr, options))
	}
	return slog.New(slog.NewTextHandler(a.Stderr, options))
}
