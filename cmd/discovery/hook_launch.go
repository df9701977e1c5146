package discovery

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// ErrSlow is the error of Launch if the program has not written a line in time. The program
// still runs.
var ErrSlow = errors.New("the program has not started in time")

// Launch starts a program that outlives this process: it has its own session, and does not
// share standard output and standard error with this process. Launch returns the first line
// of the program's standard output. Any error other than ErrSlow means that the program has
// ended.
func Launch(cmd *exec.Cmd, wait time.Duration) (line string, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer func() { _ = r.Close() }() // it was only read
	cmd.Stdout, cmd.SysProcAttr = w, detached
	err = cmd.Start()
	if closeErr := w.Close(); err == nil && closeErr != nil {
		return "", closeErr
	}
	if err != nil {
		return "", err
	}
	var first string
	read := make(chan error, 1)
	go func() { // a pipe of Windows has no deadline
		var err error
		first, err = bufio.NewReader(r).ReadString('\n')
		read <- err
	}()
	late := time.NewTimer(wait)
	defer late.Stop()
	select {
	case <-late.C:
		return "", ErrSlow
	case err := <-read:
		if err != nil {
			return "", fmt.Errorf("%s ended: %w", cmd.Args[0], cmd.Wait())
		}
	}
	return strings.TrimSuffix(first, "\n"), cmd.Process.Release()
}
