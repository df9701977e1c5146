// Package worker processes untrusted data outside the gateway's process. A worker is the same
// program, executed again with a hidden command, in one of three roles: the checker compiles
// scripts, the sandbox runs them, the converter reads documents, pages and patches. A worker
// has an empty environment, no terminal, its own process group, and only four pipes: one from
// the gateway, one to it, one that closes when the gateway ends, and standard error. It
// cannot write to files. On Linux it cannot open files or sockets, reach other processes, or
// gain privileges: see confineSelf and package confine. When it is ready, the worker reports
// which restrictions are active.
//
// Checker, Sandbox and Converter are the gateway's side, Main is the worker's side. Either
// side may end at any time: the gateway kills a worker that exceeds its limits and starts
// another, and a worker ends when its gateway ends. See docs/design/processes.md.
package worker

import (
	"fmt"
	"os"
)

// Command is the hidden command that starts a worker. Its arguments are passed to Main.
const Command = "__worker"

// A role is the purpose of a worker.
type role string

// The roles.
const (
	roleChecker   role = "checker"
	roleSandbox   role = "sandbox"
	roleConverter role = "converter"
)

// Main runs a worker and returns its exit code. args are the arguments after Command on the
// command line. conversions is the work that a converter can do.
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
