package quickjs

import "github.com/tetratelabs/wazero/sys"

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
