package app

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/terminal"
)

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
