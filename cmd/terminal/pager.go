package terminal

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
)

// pagerVariables name the pager, in the order of their precedence. An empty value, or cat,
// means no pager.
var pagerVariables = []string{"TOOLSCRIPT_PAGER", "PAGER"}

const defaultPager = "less"

// lessOptions: quit if the output fits, show colours, and leave the text on the screen.
const lessOptions = "FRX"

// Pager is a terminal whose output goes through a pager if it is longer than the screen.
// Until then it is held back. It is safe for concurrent use.
type Pager struct {
	file    *os.File
	command string
	env     []string

	mu      sync.Mutex
	held    bytes.Buffer
	cmd     *exec.Cmd // nil until the output is longer than the screen
	pipe    *os.File  // the input of cmd
	closed  bool
	failure error // of the start of the pager; the output goes to the terminal then

	active atomic.Bool // the pager runs
}

// NewPager returns a Pager for a file that is a terminal. It is nil if the file is no
// terminal, or if the environment (as os.Environ) names no pager.
func NewPager(file *os.File, env []string) *Pager {
	command := pagerCommand(env)
	if !Is(file) || Rows(file) == 0 || command == "" {
		return nil
	}
	return &Pager{file: file, command: command, env: env}
}

// pagerCommand is the command line of the pager; "" for none.
func pagerCommand(env []string) string {
	if value, _ := lookup(env, "TERM"); value == "dumb" {
		return ""
	}
	for _, name := range pagerVariables {
		if value, ok := lookup(env, name); ok {
			if value = strings.TrimSpace(value); value == "cat" {
				return ""
			}
			return value
		}
	}
	if _, err := exec.LookPath(defaultPager); err != nil {
		return ""
	}
	return defaultPager
}

// lookup finds a variable; the last one counts.
func lookup(env []string, name string) (value string, ok bool) {
	for _, entry := range env {
		if v, found := strings.CutPrefix(entry, name+"="); found {
			value, ok = v, true
		}
	}
	return value, ok
}

// Write implements io.Writer. After the user has left the pager, the error is that of a
// closed pipe on the standard output.
func (p *Pager) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed || p.failure != nil:
		return p.file.Write(b)
	case p.pipe != nil:
		return len(b), left(second(p.pipe.Write(b)))
	}
	p.held.Write(b)
	if bytes.Count(p.held.Bytes(), []byte("\n")) < Rows(p.file) {
		return len(b), nil
	}
	if p.failure = p.start(); p.failure != nil {
		return len(b), second(p.file.Write(p.held.Bytes()))
	}
	return len(b), left(second(p.pipe.Write(p.held.Bytes())))
}

func second(_ int, err error) error { return err }

// left is the error of a write to a pager that the user has left.
func left(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return &fs.PathError{Op: "write", Path: os.Stdout.Name(), Err: syscall.EPIPE}
	}
	return err
}

// start starts the pager with the shell, as git does: the variable may have arguments.
func (p *Pager) start() error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	argv := []string{"sh", "-c", p.command}
	if runtime.GOOS == "windows" {
		argv = strings.Fields(p.command)
	}
	cmd := exec.Command(argv[0], argv[1:]...) //nolint:gosec,noctx // the user's own pager, which ends when the user leaves it
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = r, p.file, p.file, p.env
	if _, ok := lookup(p.env, "LESS"); !ok {
		cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], "LESS="+lessOptions)
	}
	err = errors.Join(cmd.Start(), r.Close())
	if err != nil {
		return errors.Join(err, w.Close())
	}
	p.cmd, p.pipe = cmd, w
	p.active.Store(true)
	return nil
}

// Active reports whether the user reads in the pager, which has the terminal then.
func (p *Pager) Active() bool { return p != nil && p.active.Load() }

// Close prints the output that fits the screen, or waits until the user leaves the pager.
func (p *Pager) Close() error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	cmd, pipe := p.cmd, p.pipe
	var err error
	if cmd == nil && p.failure == nil && !p.closed {
		err = second(p.file.Write(p.held.Bytes()))
	}
	p.closed = true
	p.mu.Unlock()
	if cmd == nil {
		return err
	}
	err = pipe.Close()
	_ = cmd.Wait() // the exit code of a pager means nothing
	p.active.Store(false)
	return err
}
