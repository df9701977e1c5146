package quickjs

import "github.com/tetratelabs/wazero/api"

const (
	errnoBadFile = 8
	errnoNoSys   = 52
)

// wasi has the functions of the WASI module: a clock and random numbers, but no files.
// wazero's own module is not used because it could open files.
var wasi = []imported{
	{"clock_time_get", []api.ValueType{i32, i64, i32}, one, func(g *instance, stack []uint64) {
		if uint32(stack[0]) > 1 {
			stack[0] = errnoNoSys
			return
		}
		g.memory.WriteUint64Le(uint32(stack[2]), uint64(g.run.now().UnixNano()))
		stack[0] = 0
	}},
	{"random_get", []api.ValueType{i32, i32}, one, func(g *instance, stack []uint64) {
		if buffer, ok := g.memory.Read(uint32(stack[0]), uint32(stack[1])); ok {
			g.run.fill(buffer)
		}
		stack[0] = 0
	}},
	{"fd_write", []api.ValueType{i32, i32, i32, i32}, one, badFile},
	{"fd_close", []api.ValueType{i32}, one, badFile},
	{"fd_fdstat_get", []api.ValueType{i32, i32}, one, badFile},
	{"fd_seek", []api.ValueType{i32, i64, i32, i32}, one, badFile},
}

func badFile(_ *instance, stack []uint64) { stack[0] = errnoBadFile }
