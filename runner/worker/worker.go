// Package worker keeps the text of scripts out of the gateway's process. A
// worker is the same program, executed again with a hidden command, and has one
// of two roles: the checker compiles scripts, the sandbox runs them. It is given
// nothing: an empty environment, no terminal, a process group of its own, and no
// descriptor but a socket to the gateway, a pipe that tells when the gateway has
// ended and one for its standard error. It can put no byte into a file. On Linux
// it can open none either, nor a socket, nor reach another process, nor gain
// privileges: see lockDown, and package wall. What holds of it on this machine
// the worker says when it is ready.
//
// The gateway's side is Checker and Sandbox, the worker's side is Main. Either
// side of a worker may be ended at any time: a gateway kills a worker that
// overruns and starts another, and a worker whose gateway is gone ends itself.
package worker

import (
	"fmt"
	"os"
)

// Command is the hidden command that makes a program a worker: what follows it
// on the command line goes to Main.
const Command = "__worker"

// A role is what a worker is for.
type role string

// The roles.
const (
	roleChecker role = "checker"
	roleSandbox role = "sandbox"
)

// Main is the worker's side. args follow Command on the command line; the
// result is the exit code.
func Main(args []string) int {
	c, err := newChild(args)
	if err == nil {
		err = c.serve()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
