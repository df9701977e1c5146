// Package worker works on foreign bytes outside the gateway's process. A worker is
// the same program, executed again with a hidden command, in one of three roles: the
// checker compiles scripts, the sandbox runs them, the converter reads documents, pages
// and patches. A worker has an empty environment,
// no terminal, a process group of its own, and only four descriptors: a pipe from the gateway
// and one to it, a pipe that closes when the gateway ends, and one for standard error. It
// cannot write to files. On Linux it cannot open files or sockets, reach other
// processes, or gain privileges: see confineSelf and package confine. The worker
// reports what holds on this machine when it is ready.
//
// Checker, Sandbox and Converter are the gateway's side, Main is the worker's side. Either side
// may end at any time: the gateway kills a worker that exceeds its limits and starts
// another, and a worker ends itself when its gateway is gone.
package worker

import (
	"fmt"
	"os"
)

// Command is the hidden command that makes a program a worker. Its arguments go to
// Main.
const Command = "__worker"

// A role is the purpose of a worker.
type role string

// The roles.
const (
	roleChecker   role = "checker"
	roleSandbox   role = "sandbox"
	roleConverter role = "converter"
)

// Main is the worker's side. args follow Command on the command line, and conversions
// are what a converter can do. The result is the exit code.
func Main(args []string, conversions ...Conversion) int {
	c, err := newChild(args)
	if err == nil {
		c.conversions = conversions
		err = c.serve()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
