package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/toolscript/toolscript/internal/proc"
	"github.com/toolscript/toolscript/runner/quickjs"
)

// heaps are the memory limits of Go's runtime in bytes, near which the collector works harder.
var heaps = map[role]int64{roleChecker: 256 << 20, roleSandbox: 256 << 20, roleConverter: 160 << 20}

const (
	// workerStack ends a compiler that recurses without end. A stack is copied when it
	// doubles, so it takes up to 192 MB. The deepest source that package script accepts needs
	// 30 MB.
	workerStack = 128 << 20
)

// threads is GOMAXPROCS of each role. In a checker and a converter, the garbage collector
// runs parallel to the work. A sandbox reads and runs scripts on one goroutine, so a second
// thread would be useless. While a script computes, other goroutines run whenever the engine
// checks its limits, every ten milliseconds.
var threads = map[role]int{roleChecker: 2, roleSandbox: 1, roleConverter: 2}

// garbage is the percentage of garbage at which each role collects it. A check leaves garbage of
// a few MB behind and keeps the declarations, which are many times larger: at 100 percent a third
// of the CPU time of a check would be spent in the collector.
var garbage = map[role]int{roleChecker: 200, roleSandbox: 100, roleConverter: 100}

// argBrief is the argument of a worker with Options.Brief.
const argBrief = "brief"

// A child is the worker's side of a Process.
type child struct {
	role     role
	cacheDir string
	brief    bool
	link     *link
	channel  *channel // set in a sandbox

	conversions []Conversion // set in a converter
}

// newChild parses the arguments of a worker and limits the process.
func newChild(args []string) (*child, error) {
	short := len(args) == 3 && args[2] == argBrief
	if len(args) != 2 && !short {
		return nil, fmt.Errorf("%s is started by the gateway, not by hand", Command)
	}
	runtime.GOMAXPROCS(threads[role(args[0])])
	debug.SetGCPercent(-1) // reportReady collects the garbage of the start
	debug.SetMemoryLimit(heaps[role(args[0])])
	debug.SetMaxStack(workerStack)
	if err := closeStrange(); err != nil {
		return nil, err
	}
	c := &child{role: role(args[0]), cacheDir: args[1], brief: short}
	if err := c.open(); err != nil {
		return nil, fmt.Errorf("%s is started by the gateway, not by hand: %w", Command, err)
	}
	if err := watchLifeline(); err != nil {
		return nil, fmt.Errorf("watch the gateway: %w", err)
	}
	return c, nil
}

// open opens the worker's end of the pair.
func (c *child) open() error {
	if c.role == roleSandbox {
		var err error
		c.channel, err = openChannel()
		c.link = newLink(c.channel)
		return err
	}
	conn, err := openConn()
	c.link = newLink(conn)
	return err
}

func (c *child) serve() error {
	switch c.role {
	case roleChecker:
		return c.serveChecker()
	case roleSandbox:
		return c.serveSandbox()
	case roleConverter:
		return c.serveConverter()
	}
	return fmt.Errorf("no such role of a script worker: %s", c.role)
}

// reportReady confines the process and reports that it is ready. Before it, the worker must
// have opened everything that it needs from the system.
func (c *child) reportReady() error {
	if !c.brief {
		proc.ReleasePages()
	}
	confinement, err := confineSelf()
	if err != nil {
		return fmt.Errorf("confine the worker: %w", err)
	}
	debug.SetGCPercent(garbage[c.role])
	if !c.brief {
		debug.FreeOSMemory() // the start has used several times the memory of an idle worker
	}
	return c.link.writeJSON(frameReady, ready{Confinement: confinement}, nil)
}

// receive passes every frame to handle, in order. It does not return.
func (c *child) receive(handle func(frameType, []byte) error) {
	for {
		kind, payload, err := c.link.read()
		if err == nil {
			err = handle(kind, payload)
		}
		if err != nil {
			exit(err)
		}
	}
}

// exit ends the process. io.EOF means that the gateway has closed its pipes.
func exit(err error) {
	if errors.Is(err, io.EOF) {
		os.Exit(0)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// newVM compiles the engine, or loads it from the cache, and creates the VM of this
// worker. No other part of a sandbox needs a file.
func (c *child) newVM() (*quickjs.VM, error) {
	ctx := context.Background()
	engine, err := quickjs.NewEngine(ctx, quickjs.Options{CacheDir: trusted(c.cacheDir)})
	if err != nil {
		return nil, err
	}
	vm, err := engine.NewVM(ctx)
	if err != nil {
		return nil, err
	}
	vm.Warm()
	return vm, nil
}
