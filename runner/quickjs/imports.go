package quickjs

import (
	"fmt"
	"time"

	"github.com/tetratelabs/wazero/api"

	"github.com/toolscript/toolscript/runner"
)

// hooks are the host functions of an instance. They are called while the instance runs, and
// must not run code of the script.
type hooks interface {
	// interrupt reports whether to stop. The engine calls it regularly, and, if it is out of
	// fuel, from anywhere in its C code.
	interrupt(outOfFuel bool) bool
	// operation executes an operation for the prelude. It returns a new handle.
	operation(name []byte, args []handle) handle
	// module returns the code of a module; ok is false if there is no such module.
	module(name string) (code string, ok bool)
	// rejected is called when a promise is rejected without a handler, and again, with
	// handled, when it gets a handler. The callee owns both handles.
	rejected(promise, reason handle, handled bool)
	// now returns the time for the engine's clocks.
	now() time.Time
	// fill fills buffer with random bytes for the engine.
	fill(buffer []byte)
	// zoneOffset returns the seconds east of UTC at a time.
	zoneOffset(unix int64) int
}

type guestKey struct{}

// imported is a host function that the engine imports.
type imported struct {
	name    string
	params  []api.ValueType
	results []api.ValueType
	call    func(g *instance, stack []uint64)
}

const (
	i32 = api.ValueTypeI32
	i64 = api.ValueTypeI64
)

var one = []api.ValueType{i32}

// environment has the functions of the module env.
var environment = []imported{
	{"host_interrupt", nil, one, func(g *instance, stack []uint64) {
		stop := g.hooks.interrupt(int32(g.fuel.Get()) <= 0)
		stack[0] = 0
		if stop {
			stack[0] = 1
		}
	}},
	{"host_call", []api.ValueType{i32, i32, i32, i32, i32}, one, func(g *instance, stack []uint64) {
		name, _ := g.memory.Read(uint32(stack[0]), uint32(stack[1]))
		args := g.handles(uint32(stack[4]), uint32(stack[3]))
		stack[0] = uint64(g.hooks.operation(name, args))
		g.unwindIfDead()
	}},
	{"host_promise_rejection", []api.ValueType{i32, i32, i32}, nil, func(g *instance, stack []uint64) {
		g.hooks.rejected(handle(stack[0]), handle(stack[1]), uint32(stack[2]) != 0)
		g.unwindIfDead()
	}},
	{"host_module_normalize", []api.ValueType{i32, i32}, one, func(g *instance, stack []uint64) {
		stack[0] = uint64(g.place(runner.ResolveModule(g.cString(uint32(stack[0])), g.cString(uint32(stack[1])))))
		g.unwindIfDead()
	}},
	{"host_module_load", []api.ValueType{i32, i32}, one, func(g *instance, stack []uint64) {
		name, length := g.cString(uint32(stack[0])), uint32(stack[1])
		stack[0] = 0
		if code, ok := g.hooks.module(name); ok {
			stack[0] = uint64(g.place(code))
			g.memory.WriteUint32Le(length, uint32(len(code)))
		} else {
			g.throw(fmt.Sprintf("cannot import %q: a script can import only \"toolscript\" and files such as \"./lib.ts\"", name))
		}
		g.unwindIfDead()
	}},
	{"host_get_timezone_offset", []api.ValueType{i32, i32}, one, func(g *instance, stack []uint64) {
		unix := int64(stack[0]<<32 | stack[1]&0xffffffff)
		stack[0] = api.EncodeI32(int32(g.hooks.zoneOffset(unix)))
	}},
}
