package quickjs

import (
	"slices"

	"github.com/toolscript/toolscript"
)

// rejection is a rejected promise. It owns both handles.
type rejection struct {
	promise, reason handle
	hasHandler      bool
}

// unhandledRejections are the promises that were rejected without a handler, in order. Only
// memory limits their number, and a script can add handlers in any order.
type unhandledRejections struct {
	order []*rejection // may include promises that have a handler now
	known map[uint64]*rejection
}

// add records a promise under its address.
func (u *unhandledRejections) add(address uint64, r *rejection) {
	if u.known == nil {
		u.known = map[uint64]*rejection{}
	}
	u.known[address] = r
	u.order = append(u.order, r)
}

// takeHandled removes and returns a promise that has got a handler. It returns nil if the promise is unknown.
func (u *unhandledRejections) takeHandled(address uint64) *rejection {
	r := u.known[address]
	if r == nil {
		return nil
	}
	r.hasHandler = true
	delete(u.known, address)
	if len(u.order) > 2*len(u.known) { // rarely, so that the cost per promise is small
		u.order = slices.DeleteFunc(u.order, func(r *rejection) bool { return r.hasHandler })
	}
	return r
}

// first returns the first promise without a handler, or nil.
func (u *unhandledRejections) first() *rejection {
	for _, r := range u.order {
		if !r.hasHandler {
			return r
		}
	}
	return nil
}

// unhandledRejection returns an error if a rejected promise has no handler after all jobs
// have run.
func (r *run) unhandledRejection() error {
	if first := r.unhandledRejections.first(); first != nil {
		return &thrown{first.reason, toolscript.Executing}
	}
	return nil
}
