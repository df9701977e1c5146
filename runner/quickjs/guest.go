package quickjs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/sys"
)

// guest is one instance of the engine, spoken to through its C interface. One
// goroutine uses it at a time.
//
// A guest dies at the first trap: its memory is then in no known state, every
// further call does nothing and gives 0, and err says why. Restoring the image
// revives it.
type guest struct {
	module api.Module
	memory api.Memory
	stack  api.MutableGlobal
	fuel   api.MutableGlobal
	ctx    context.Context // leads the imports to this guest; it never ends
	hooks  hooks
	err    error
	full   uint64 // fuel of a new guest

	entries entries

	functions [functionCount]api.Function

	// Parameters and results of the calls under way: wazero asks for a buffer
	// of its own for each, and a call may lead through the host to another.
	buffers [8][8]uint64
	depth   int
}

// newGuest makes an instance on the given memory.
func newGuest(ctx context.Context, runtime wazero.Runtime, module wazero.CompiledModule, memory experimental.LinearMemory) (*guest, error) {
	g := &guest{hooks: noHooks{}}
	allocator := experimental.MemoryAllocatorFunc(func(_, _ uint64) experimental.LinearMemory { return memory })
	// Without a name any number of instances can be, and without start functions
	// an image's instance is not initialized a second time.
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions()
	instance, err := runtime.InstantiateModule(experimental.WithMemoryAllocator(ctx, allocator), module, config)
	if err != nil {
		return nil, fmt.Errorf("instantiate the engine: %w", err)
	}
	g.module, g.memory = instance, instance.Memory()
	g.ctx = context.WithValue(context.Background(), guestKey{}, g)
	for f, name := range functionNames {
		if g.functions[f] = instance.ExportedFunction(name); g.functions[f] == nil {
			return nil, errors.Join(fmt.Errorf("the engine does not export %s", name), g.close(ctx))
		}
	}
	g.stack = instance.ExportedGlobal("__stack_pointer").(api.MutableGlobal)
	g.fuel = instance.ExportedGlobal("fuel").(api.MutableGlobal)
	g.full = g.fuel.Get()
	return g, nil
}

func (g *guest) close(ctx context.Context) error { return g.module.Close(ctx) }

// call calls an exported function and gives its result, or 0.
func (g *guest) call(f function, args ...uint64) uint64 {
	if g.err != nil {
		return 0
	}
	if g.depth == len(g.buffers) {
		g.err = errors.New("too many calls inside one another")
		return 0
	}
	buffer := g.buffers[g.depth][:]
	g.depth++
	buffer[0] = 0
	copy(buffer, args)
	err := g.functions[f].CallWithStack(g.ctx, buffer)
	g.depth--
	if err != nil && g.err == nil {
		g.err = err
	}
	if g.err != nil {
		return 0
	}
	return buffer[0]
}

// errUnwound ends guest code from inside a host function.
var errUnwound = sys.NewExitError(1)

// unwind makes the guest die at the end of the host function that is running:
// no catch and no finally of the script sees it.
func (g *guest) unwind(reason error) {
	if g.err == nil {
		g.err = reason
	}
}

// unwindIfDead leaves a host function without going back into guest code. The
// panic is wazero's way to do it; it ends in the call that entered the guest.
func (g *guest) unwindIfDead() {
	if g.err != nil {
		panic(errUnwound)
	}
}

// bootTime is the time at which images are made: a fixed one, and random bytes
// are zeros then, so that all images are the same and none tells of its process.
var bootTime = time.Unix(1_700_000_000, 0)

// noHooks serves a guest that is booted and runs no script.
type noHooks struct{}

func (noHooks) interrupt(bool) bool         { return false }
func (noHooks) operation([]byte, []box) box { return 0 }
func (noHooks) rejected(box, box, bool)     {}
func (noHooks) now() time.Time              { return bootTime }
func (noHooks) fill(buffer []byte)          { clear(buffer) }
func (noHooks) zoneOffset(int64) int        { return 0 }
