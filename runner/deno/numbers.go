package deno

// mostLate is how far behind the highest number one may come: a call overtakes
// another only when the other's arguments have a toJSON that calls.
const mostLate = 4096

// numbers tells numbers from 1 that it has seen from new ones. It is small however
// many they are.
type numbers struct {
	highest uint64
	seen    [mostLate / 64]uint64 // of the last mostLate up to highest, a bit each
}

// add takes a number in. It reports false when it was seen, or comes too late to
// tell.
func (s *numbers) add(n uint64) bool {
	if n == 0 || n+mostLate <= s.highest {
		return false
	}
	for next := max(s.highest+1, n-min(n, mostLate)+1); next <= n; next++ { // the places of those before the window
		s.seen[next/64%uint64(len(s.seen))] &^= 1 << (next % 64)
	}
	s.highest = max(s.highest, n)
	place, bit := &s.seen[n/64%uint64(len(s.seen))], uint64(1)<<(n%64)
	known := *place&bit != 0
	*place |= bit
	return !known
}
