package quickjs

import (
	"fmt"
	"strconv"

	"github.com/tetratelabs/wazero/api"

	"github.com/toolscript/toolscript/runner"
)

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
