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
	type reply struct {
		line []byte
		err  error
	}
	answered := make(chan reply, 1)
	go func() { // it may stay in the read until the process ends
		line, err := term.ReadPassword(fd)
		answered <- reply{line, err}
	}()
	select {
	case r := <-answered:
		_, _ = io.WriteString(to, "\n") // the terminal has not shown that of the user
		if len(r.line) == 0 {
			return "", ErrNoAnswer
		}
		return string(r.line), nil
	case <-ctx.Done():
		_ = term.Restore(fd, before) // else what is typed later stays hidden
		_, _ = io.WriteString(to, "\n")
		return "", context.Cause(ctx)
	}
}
