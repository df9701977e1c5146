// Package worker keeps the text of scripts out of the gateway's process. A
// worker is the same program, executed again with a hidden command, and has one
// of two roles: the checker compiles scripts, the sandbox runs them. It owns
// nothing: no environment, no terminal, no file but a socket to the gateway.
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
