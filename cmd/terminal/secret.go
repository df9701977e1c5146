package terminal

import (
	"context"
	"io"

	"golang.org/x/term"
)

// AskSecret prints a question at a terminal and reads one line that the terminal does not
// show. in is the terminal. The error is ErrNoAnswer if the line is empty.
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
		line, _ := term.ReadPassword(fd) // it is empty then
		if len(line) == 0 {
			return "", ErrNoAnswer
		}
		return string(line), nil
	})
	if ctx.Err() != nil {
		_ = term.Restore(fd, before) // else what is typed later stays hidden
	}
	_, _ = io.WriteString(to, "\n") // the terminal has not shown that of the user
	return line, err
}
