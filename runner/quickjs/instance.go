package quickjs

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/tetratelabs/wazero/api"

	"github.com/toolscript/toolscript/runner"
)

// instance is one instance of the engine, called through its C interface. One
// goroutine uses it at a time.
//
// An instance dies at the first trap, because its memory is then in an unknown state: every
// further call does nothing and returns 0, and err says why. Restoring the image revives it.
type instance struct {
	module api.Module
	memory api.Memory
	stack  api.MutableGlobal
	fuel   api.MutableGlobal
	ctx    context.Context // identifies this instance to imported functions; it never ends
	run    *run            // the script that runs; nil while the engine boots and between scripts
	err    error
	full   uint64 // initial fuel

	entries entries

	functions [functionCount]api.Function

	// Buffers for the parameters and results of nested calls: wazero needs one for each call,
	// and a host function may make another call.
	buffers [8][8]uint64
	depth   int
}

// call calls an exported function and returns its result, or 0.
func (in *instance) call(f function, args ...uint64) uint64 {
	if in.err != nil {
		return 0
	}
	if in.depth == len(in.buffers) {
		in.err = errors.New("too many calls inside one another")
		return 0
	}
	buffer := in.buffers[in.depth][:]
	in.depth++
	buffer[0] = 0
	copy(buffer, args)
	err := in.functions[f].CallWithStack(in.ctx, buffer)
	in.depth--
	if err != nil && in.err == nil {
		in.err = err
	}
	if in.err != nil {
		return 0
	}
	return buffer[0]
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
		stop := g.run.interrupt(int32(g.fuel.Get()) <= 0)
		stack[0] = 0
		if stop {
			stack[0] = 1
		}
	}},
	{"host_call", []api.ValueType{i32, i32, i32, i32, i32}, one, func(g *instance, stack []uint64) {
		name, _ := g.memory.Read(uint32(stack[0]), uint32(stack[1]))
		args := g.handles(uint32(stack[4]), uint32(stack[3]))
		stack[0] = 0
		switch op := operations[string(name)]; {
		case op == nil:
			g.throw("the host has no operation " + strconv.Quote(string(name)))
		case g.run != nil:
			stack[0] = uint64(op(g.run, arguments{g, args}))
		}
		g.unwindIfDead()
	}},
	{"host_promise_rejection", []api.ValueType{i32, i32, i32}, nil, func(g *instance, stack []uint64) {
		g.run.rejected(handle(stack[0]), handle(stack[1]), uint32(stack[2]) != 0)
		g.unwindIfDead()
	}},
	{"host_module_normalize", []api.ValueType{i32, i32}, one, func(g *instance, stack []uint64) {
		stack[0] = uint64(g.place(runner.ResolveModule(g.cString(uint32(stack[0])), g.cString(uint32(stack[1])))))
		g.unwindIfDead()
	}},
	{"host_module_load", []api.ValueType{i32, i32}, one, func(g *instance, stack []uint64) {
		name, length := g.cString(uint32(stack[0])), uint32(stack[1])
		stack[0] = 0
		if code, ok := g.run.module(name); ok {
			stack[0] = uint64(g.place(code))
			g.memory.WriteUint32Le(length, uint32(len(code)))
		} else {
			g.throw(fmt.Sprintf("cannot import %q: a script can import only \"toolscript\" and files such as \"./lib.ts\"", name))
		}
		g.unwindIfDead()
	}},
	{"host_get_timezone_offset", []api.ValueType{i32, i32}, one, func(g *instance, stack []uint64) {
		unix := int64(stack[0]<<32 | stack[1]&0xffffffff)
		stack[0] = api.EncodeI32(int32(g.run.zoneOffset(unix)))
	}},
}
