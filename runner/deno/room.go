package deno

import "sync"

// room is what one process may reach.
type room struct {
	mu   sync.Mutex
	run  *run // nil until its run has begun
	seen numbers
}

// under is the run under way, if one is.
func (r *room) under() *run {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.run
}

// begin takes the run of the room into use for a call that it has not made yet.
func (r *room) begin(call uint64) *run {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.run == nil || !r.seen.add(call) {
		return nil
	}
	return r.run
}

// mostAhead is how many numbers may be missing: calls overtake each other, but no
// more of them than are sent at once.
const mostAhead = 4096

// numbers is a set of numbers from 1 that come nearly in order. It is small however
// many they are.
type numbers struct {
	all   uint64              // and those below it are in the set
	ahead map[uint64]struct{} // others that are
}

// add takes a number in. It reports false when it is there, or too far ahead.
func (s *numbers) add(n uint64) bool {
	if _, known := s.ahead[n]; known || n <= s.all || n-s.all > mostAhead {
		return false
	}
	if s.ahead == nil {
		s.ahead = map[uint64]struct{}{}
	}
	s.ahead[n] = struct{}{}
	for {
		if _, next := s.ahead[s.all+1]; !next {
			return true
		}
		s.all++
		delete(s.ahead, s.all)
	}
}
