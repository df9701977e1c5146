package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/confine"
)

// become is the argument of the second helper: the process that restricts itself and becomes the program.
const become = "become"

// init runs the second helper. It does not wait for main: initializing all packages of this
// program takes longer than the work of the helper, and this package is initialized early.
func init() {
	if len(os.Args) == 3 && os.Args[1] == Command && os.Args[2] == become {
		becomeProgram()
		os.Exit(1)
	}
}

// The descriptors of the second helper. It reads a program from the first and writes becomings to the second.
const (
	programFD  = 3
	becomingFD = 4
)

// program describes the program that the second helper becomes. The helper reads it from a pipe:
// other users could see it in arguments, and Env as environment would affect the helper itself.
type program struct {
	Path    string
	Args    []string
	Env     []string
	Write   []string
	Network bool
}

// becoming is a report of the second helper. The helper sends one before it executes the program, and another if that
// fails.
type becoming struct {
	Confinement []toolscript.Confinement
	Errno       syscall.Errno // error of execve
	Error       string        // any other error
	Path        string
}

// read reads the reports of the second helper. It returns the error that they contain.
func (b *becoming) read(from io.Reader) error {
	decoder := json.NewDecoder(from)
	if err := decoder.Decode(b); err != nil {
		return fmt.Errorf("the process that becomes the program ended: %w", err)
	}
	if err := decoder.Decode(b); err != nil && !errors.Is(err, io.EOF) { // a second report: execve failed
		return err
	}
	switch {
	case b.Error != "":
		return errors.New(b.Error)
	case b.Errno != 0:
		return &fs.PathError{Op: "exec", Path: b.Path, Err: b.Errno}
	}
	return nil
}

// becomeProgram is the main function of the second helper. It returns only on an error.
func becomeProgram() {
	runtime.LockOSThread() // restrictions belong to the thread, and execve keeps them
	unix.CloseOnExec(programFD)
	unix.CloseOnExec(becomingFD)
	reports := json.NewEncoder(os.NewFile(becomingFD, "report"))
	var p program
	err := json.NewDecoder(os.NewFile(programFD, "program")).Decode(&p)
	var b becoming
	if err == nil {
		b.Confinement, err = p.restrict()
	}
	if err != nil {
		b.Error = err.Error()
	}
	if reports.Encode(b) != nil || err != nil {
		return
	}
	err = syscall.Exec(p.Path, p.Args, p.Env) //nolint:gosec // the program of the call
	b.Path = p.Path
	if !errors.As(err, &b.Errno) {
		b.Error = err.Error()
	}
	_ = reports.Encode(b) // on an error, the caller has ended
}

// restrict restricts the calling thread.
func (p program) restrict() ([]toolscript.Confinement, error) {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("PR_SET_NO_NEW_PRIVS: %w", err)
	}
	parts := Confinement()
	if parts[0].Active {
		if err := confine.RestrictThread(confine.LandlockAccess{Read: []string{"/"}, Write: p.Write, Network: p.Network}); err != nil {
			return nil, fmt.Errorf("landlock: %w", err)
		}
	}
	// Landlock comes first: its rules open files of the first helper, which needs the capabilities.
	if err := dropCapabilities(); err != nil {
		return nil, fmt.Errorf("drop capabilities: %w", err)
	}
	calls, err := confine.Program(p.rules(parts[0].Active))
	network := toolscript.Confinement{Name: "network", Active: calls.Active, Detail: "no sockets can be created"}
	switch {
	case p.Network:
		network.Active, network.Detail = false, "the configuration allows it"
	case !calls.Active:
		network.Detail = calls.Detail
	}
	return append(parts, calls, network), err
}

// rules returns what programs may do beyond what confined servers may. They may read all
// files, so they may also watch them; tools that copy and unpack set the owners, modes and
// times of files; and debuggers trace their own children, to which Landlock limits them.
func (p program) rules(landlocked bool) confine.Rules {
	r := confine.Rules{Allowed: confine.Owners | confine.Properties | confine.Watching | confine.Listening}
	if p.Network {
		r.Sockets = confine.Internet
	}
	if landlocked {
		r.Allowed |= confine.Tracing
	}
	return r
}
