package quickjs

import "slices"

// rejection is a promise that was rejected. Both boxes are ours.
type rejection struct {
	promise, reason box
	heard           bool
}

// unheard are the promises that were rejected with nobody listening, in that order.
// A script can have as many as fit in its memory, and listen to them in any order.
type unheard struct {
	order []*rejection // some of them heard since
	known map[uint64]*rejection
}

// add takes a promise by its address.
func (u *unheard) add(address uint64, r *rejection) {
	if u.known == nil {
		u.known = map[uint64]*rejection{}
	}
	u.known[address] = r
	u.order = append(u.order, r)
}

// hear gives a promise back that somebody listens to now, or nil.
func (u *unheard) hear(address uint64) *rejection {
	r := u.known[address]
	if r == nil {
		return nil
	}
	r.heard = true
	delete(u.known, address)
	if len(u.order) > 2*len(u.known) { // seldom, so that each costs little
		u.order = slices.DeleteFunc(u.order, func(r *rejection) bool { return r.heard })
	}
	return r
}

// first is the first of them, or nil.
func (u *unheard) first() *rejection {
	for _, r := range u.order {
		if !r.heard {
			return r
		}
	}
	return nil
}
