package terminal

import (
	"context"
	"io"

	"golang.org/x/term"
)

// AskSecret prints a question at a terminal and reads one line without echo. in is the
// terminal. The error is ErrNoAnswer if the line is empty.
func AskSecret(ctx context.Context, in any, to io.Writer, prompt string) (string, error) {
	fd := int(fileOf(in).Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return "", err
	}
	if _, err := io.WriteString(to, Visible(prompt)); err != nil {
		return "", err
	}
	line, err := Await(ctx, func() (string, error) {
		line, _ := term.ReadPassword(fd) // after an error, the line is empty
		if len(line) == 0 {
			return "", ErrNoAnswer
		}
		return string(line), nil
	})
	if ctx.Err() != nil {
		_ = term.Restore(fd, before) // otherwise later input would stay hidden
	}
	_, _ = io.WriteString(to, "\n") // the terminal has not echoed the user's newline
	return line, err
}
