package quickjs

import (
	"context"
	"errors"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"
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

// errUnwound stops code of the instance from inside a host function.
var errUnwound = sys.NewExitError(1)

// unwind makes the instance die at the end of the current host function. No catch and no
// finally of the script runs.
func (in *instance) unwind(reason error) {
	if in.err == nil {
		in.err = reason
	}
}

// unwindIfDead leaves a host function without returning into a dead instance. It panics;
// wazero recovers the panic in the call that entered the instance.
func (in *instance) unwindIfDead() {
	if in.err != nil {
		panic(errUnwound)
	}
}
