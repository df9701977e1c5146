package quickjs

import (
	"slices"

	"github.com/toolscript/toolscript"
)

// rejection is a rejected promise. Both handles belong to it.
type rejection struct {
	promise, reason handle
	hasHandler      bool
}

// unhandledRejections are the promises that were rejected without a handler, in order.
// A script can have as many as fit into its memory, and add handlers in any order.
type unhandledRejections struct {
	order []*rejection // some of them have a handler by now
	known map[uint64]*rejection
}

// add records a promise by its address.
func (u *unhandledRejections) add(address uint64, r *rejection) {
	if u.known == nil {
		u.known = map[uint64]*rejection{}
	}
	u.known[address] = r
	u.order = append(u.order, r)
}

// takeHandled removes and returns a promise that has a handler now, or returns nil.
func (u *unhandledRejections) takeHandled(address uint64) *rejection {
	r := u.known[address]
	if r == nil {
		return nil
	}
	r.hasHandler = true
	delete(u.known, address)
	if len(u.order) > 2*len(u.known) { // seldom, so that the cost per promise is small
		u.order = slices.DeleteFunc(u.order, func(r *rejection) bool { return r.hasHandler })
	}
	return r
}

// first returns the first promise, or nil.
func (u *unhandledRejections) first() *rejection {
	for _, r := range u.order {
		if !r.hasHandler {
			return r
		}
	}
	return nil
}

// unhandledRejection returns an error if a promise was rejected and has no handler after all
// jobs have run.
func (r *run) unhandledRejection() error {
	if first := r.unhandledRejections.first(); first != nil {
		return &thrown{first.reason, toolscript.Executing}
	}
	return nil
}
