package terminal

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
)

// ErrNoAnswer is the error of a question at the end of the input.
var ErrNoAnswer = errors.New("the question was not answered; nothing was written")

// Affirmed reports whether an answer is yes.
func Affirmed(answer string) bool {
	answer = strings.ToLower(answer)
	return answer == "y" || answer == "yes"
}

// Ask prints a question and reads one line. The error is ErrNoAnswer if the input has
// ended. The goroutine that reads ends with the process if the user types nothing.
func Ask(ctx context.Context, answers *bufio.Reader, to io.Writer, prompt string) (string, error) {
	if _, err := io.WriteString(to, Visible(prompt)); err != nil {
		return "", err
	}
	type reply struct {
		line string
		err  error
	}
	answered := make(chan reply, 1)
	go func() {
		line, err := answers.ReadString('\n')
		answered <- reply{strings.TrimSpace(line), err}
	}()
	select {
	case r := <-answered:
		if r.line == "" && r.err != nil {
			return "", ErrNoAnswer
		}
		return r.line, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}
