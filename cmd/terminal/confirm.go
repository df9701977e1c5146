package terminal

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
)

// ErrNoAnswer is the error of a question that was not answered.
var ErrNoAnswer = errors.New("the question was not answered; nothing was written")

// Affirmed reports whether an answer means yes.
func Affirmed(answer string) bool {
	answer = strings.ToLower(answer)
	return answer == "y" || answer == "yes"
}

// Ask prints a question and reads one line. The error is ErrNoAnswer if the input has
// ended.
func Ask(ctx context.Context, answers *bufio.Reader, to io.Writer, prompt string) (string, error) {
	if _, err := io.WriteString(to, Visible(prompt)); err != nil {
		return "", err
	}
	return Await(ctx, func() (string, error) {
		line, err := answers.ReadString('\n')
		if line = strings.TrimSpace(line); line == "" && err != nil {
			return "", ErrNoAnswer
		}
		return line, nil
	})
}
