// Package rescue turns panics into errors. A panic of one request, server or run must not end the
// process, which serves others too.
package rescue

import (
	"fmt"
	"runtime/debug"

	"github.com/toolscript/toolscript"
)

// Error is a recovered panic.
type Error struct {
	Reason any
	Stack  []byte
}

func (e *Error) Error() string { return fmt.Sprintf("panic: %v", e.Reason) }

// StackTrace returns the stack of the panic, for a log.
func (e *Error) StackTrace() []byte { return e.Stack }

// Internal returns an error of kind internal that wraps e.
func (e *Error) Internal() error { return &toolscript.Error{Kind: toolscript.Internal, Err: e} }

// Catch must be deferred. If the function that defers it panics, Catch recovers and calls then with the
// panic. Catch does not recover a panic of then.
func Catch(then func(*Error)) {
	if r := recover(); r != nil {
		then(&Error{r, debug.Stack()})
	}
}

// Into must be deferred. If the function that defers it panics, Into recovers and sets *err to an error of
// kind internal.
func Into(err *error) {
	if r := recover(); r != nil {
		*err = (&Error{r, debug.Stack()}).Internal()
	}
}

// Ignore must be deferred. If the function that defers it panics, Ignore recovers and drops the panic.
func Ignore() { _ = recover() }

// Run runs f. After a panic of f it calls failed with an error of kind internal; a panic of failed
// has no effect, because it cannot be reported anywhere.
func Run(f func(), failed func(error)) {
	defer Ignore()
	defer Catch(func(p *Error) { failed(p.Internal()) })
	f()
}

// Go calls Run in a new goroutine.
func Go(f func(), failed func(error)) { go Run(f, failed) }
