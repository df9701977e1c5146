//go:build unix

package command

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/toolscript/toolscript"
)

// reportFD is the descriptor of the report, after standard error.
const reportFD = 3

// Main runs the helper and returns its exit code.
func Main() int {
	// Only the end of the caller ends the helper, not a signal. Signals are caught instead of
	// ignored, because the program would inherit ignored signals.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	syscall.CloseOnExec(reportFD)
	reports := os.NewFile(reportFD, "reports")
	input := bufio.NewReader(os.Stdin)
	line, err := input.ReadBytes('\n')
	var o order
	if err == nil {
		err = json.Unmarshal(line, &o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "the helper of a command got no request:", err)
		return 1
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = io.Copy(io.Discard, input) // until the caller closes its end or ends
	}()
	text, err := json.Marshal(o.run(gone))
	if err == nil {
		_, err = reports.Write(text)
	}
	if err != nil {
		return 1 // the caller has ended
	}
	return 0
}

// run runs the program until it ends or gone is closed.
func (o order) run(gone <-chan struct{}) report {
	adoptOrphans()
	cmd, parts, end, err := o.begin()
	defer end()
	if err != nil {
		return failed(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		awaitExit(cmd.Process.Pid)
	}()
	select {
	case <-ended:
	case <-gone:
		kill(cmd.Process.Pid)
		<-ended
	}
	kill(cmd.Process.Pid) // before Wait reaps it, so that its number cannot be reused yet
	_ = cmd.Wait()        // the result is in cmd.ProcessState
	endDescendants()
	return report{ExitCode: exitCode(cmd.ProcessState), Confinement: parts}
}

// begin starts the program. The caller must call end, even after an error; it removes the temporary folder.
func (o order) begin() (cmd *exec.Cmd, parts []toolscript.Confinement, end func(), err error) {
	end = func() {}
	defer func() {
		for _, h := range o.held {
			h.Close()
		}
	}()
	if err := o.enter(); err != nil {
		return nil, nil, end, err
	}
	if o.Confined {
		if cmd, err = o.command(o.Env); err == nil {
			err = startError(o.Args[0], cmd.Start())
		}
		return cmd, nil, end, err
	}
	temp, err := os.MkdirTemp("", "toolscript-command-")
	if err != nil {
		return nil, nil, end, err
	}
	end = func() { _ = os.RemoveAll(temp) } // files that cannot be deleted stay
	if temp, err = filepath.EvalSymlinks(temp); err != nil {
		return nil, nil, end, err
	}
	if cmd, err = o.command(replaced(o.Env, "TMPDIR", temp)); err != nil {
		return nil, nil, end, err
	}
	cmd, parts, err = o.start(cmd, temp)
	return cmd, parts, end, startError(o.Args[0], err)
}

// command returns the command that runs the program. It looks the program up in the PATH of
// env.
func (o order) command(env []string) (*exec.Cmd, error) {
	if len(o.Args) == 0 || o.Args[0] == "" {
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New("the command is empty")}
	}
	path := ""
	for _, entry := range env {
		if value, ok := cutName(entry, "PATH"); ok {
			path = value
		}
	}
	if err := os.Setenv("PATH", path); err != nil {
		return nil, err
	}
	found, err := exec.LookPath(o.Args[0])
	if err != nil {
		return nil, startError(o.Args[0], err)
	}
	if found, err = filepath.Abs(found); err != nil {
		return nil, err
	}
	cmd := &exec.Cmd{
		Path: found, Args: o.Args, Env: env, // Dir is empty: the working directory of this process
		Stdout: os.Stdout, Stderr: os.Stderr, ExtraFiles: o.files(),
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
	}
	if o.Stdin != "" {
		if cmd.Stdin, err = o.input(); err != nil {
			return nil, fmt.Errorf("the standard input of the program: %w", err)
		}
	}
	return cmd, nil
}

// input returns a deleted temporary file with the standard input. Unlike a pipe, a file needs
// no goroutine that writes while the program runs.
func (o order) input() (*os.File, error) {
	file, err := os.CreateTemp("", "toolscript-input-")
	if err != nil {
		return nil, err
	}
	_, err = file.WriteString(o.Stdin)
	_, back := file.Seek(0, io.SeekStart)
	return file, errors.Join(err, back, os.Remove(file.Name())) //nolint:gosec // it was created above
}

// files returns the descriptors for the program, which the helper has inherited.
func (o order) files() (files []*os.File) {
	for fd := range o.Files {
		syscall.CloseOnExec(reportFD + 1 + fd)
		files = append(files, os.NewFile(uintptr(reportFD+1+fd), "inherited"))
	}
	return files
}

// replaced returns env with another value of one variable.
func replaced(env []string, name, value string) []string {
	var out []string
	for _, entry := range env {
		if _, ok := cutName(entry, name); !ok {
			out = append(out, entry)
		}
	}
	return append(out, name+"="+value)
}

func cutName(entry, name string) (value string, ok bool) {
	if len(entry) <= len(name) || entry[:len(name)] != name || entry[len(name)] != '=' {
		return "", false
	}
	return entry[len(name)+1:], true
}

// startError explains why a program cannot be started. It returns nil for nil.
func startError(name string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf("cannot start %q: there is no such program", name)}
	case errors.Is(err, syscall.E2BIG):
		return &toolscript.Error{Kind: toolscript.TooLarge, Err: fmt.Errorf("cannot start %q: its arguments are longer than the system takes (on Linux 128 KB each, and 2 MB together with the variables)", name)}
	case errors.Is(err, fs.ErrPermission):
		return &toolscript.Error{Kind: toolscript.Forbidden, Err: fmt.Errorf("cannot start %q: %w", name, err)}
	}
	return fmt.Errorf("cannot start %q: %w", name, err)
}

func failed(err error) report {
	return report{Kind: toolscript.KindOf(err), Error: err.Error()}
}

func exitCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}

// kill kills the process group of the program, and the program itself if it has left its group.
func kill(pid int) {
	_ = syscall.Kill(-pid, syscall.SIGKILL) // ESRCH: it has ended
	_ = syscall.Kill(pid, syscall.SIGKILL)
}
