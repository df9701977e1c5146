package worker

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/toolscript/toolscript/runner/footprint"
	"github.com/toolscript/toolscript/runner/script/typecheck"
)

const (
	// workerHeap is where the collector starts to work hard.
	workerHeap = 256 << 20
	// workerStack ends a compiler that recurses without end. A stack is copied
	// when it doubles, so this is up to 192 MB. Source as deep as package script
	// lets through needs 30.
	workerStack = 128 << 20
)

// threads run Go code at once in a worker. In a checker the collector works beside
// the compiler. In a sandbox Go would wake a second core for each answer, to hand
// it from who reads frames to the script, which is a third of the time of a call;
// while a script computes, all others have their turns where the engine asks for
// its limits, every ten milliseconds.
var threads = map[role]int{roleChecker: 2, roleSandbox: 1}

// A child is the worker's side of a Process.
type child struct {
	role     role
	cacheDir string
	link     *link
}

// newChild reads what start wrote on the command line and limits the process.
func newChild(args []string) (*child, error) {
	if len(args) != 2 {
		return nil, fmt.Errorf("%s is started by the gateway, not by hand", Command)
	}
	runtime.GOMAXPROCS(threads[role(args[0])])
	debug.SetMemoryLimit(workerHeap)
	debug.SetMaxStack(workerStack)
	if err := closeStrange(); err != nil {
		return nil, err
	}
	conn, err := openSocket()
	if err != nil {
		return nil, fmt.Errorf("%s is started by the gateway, not by hand: %w", Command, err)
	}
	if err := watchLifeline(); err != nil {
		return nil, fmt.Errorf("watch the gateway: %w", err)
	}
	return &child{role: role(args[0]), cacheDir: args[1], link: newLink(conn)}, nil
}

func (c *child) serve() error {
	switch c.role {
	case roleChecker:
		return c.serveChecker()
	case roleSandbox:
		return c.serveSandbox()
	}
	return fmt.Errorf("no such role of a script worker: %s", c.role)
}

// sayReady locks the process down and says so. What a worker needs from the
// system beside its socket it has taken before.
func (c *child) sayReady() error {
	footprint.Release()
	wall, err := lockDown()
	if err != nil {
		return fmt.Errorf("lock down the worker: %w", err)
	}
	debug.FreeOSMemory() // what the start needed is several times what waiting needs
	return c.link.writeJSON(frameReady, ready{Wall: wall, Types: typecheck.Version}, nil)
}

// receive hands every frame to handle, in order, and ends the process with the
// gateway's side of the socket: nobody is left to tell, and a script that runs
// has nobody to run for. It reads also while a script is busy, so that the
// gateway can always send.
func (c *child) receive(handle func(frameType, []byte) error) {
	for {
		kind, payload, err := c.link.read()
		if err == nil {
			err = handle(kind, payload)
		}
		if errors.Is(err, io.EOF) {
			os.Exit(0)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
