package deno

// mostLate bounds how far behind the highest number one may arrive. A call overtakes
// another only if the other's arguments have a toJSON that makes calls.
const mostLate = 4096

// numbers detects repeated numbers, counted from 1, in constant space.
type numbers struct {
	highest uint64
	seen    [mostLate / 64]uint64 // of the last mostLate up to highest, one bit each
}

// add records a number. It reports false if the number was recorded before, or is too
// old to know.
func (s *numbers) add(n uint64) bool {
	if n == 0 || n+mostLate <= s.highest {
		return false
	}
	for next := max(s.highest+1, n-min(n, mostLate)+1); next <= n; next++ { // clear the places between the old and the new window
		s.seen[next/64%uint64(len(s.seen))] &^= 1 << (next % 64)
	}
	s.highest = max(s.highest, n)
	place, bit := &s.seen[n/64%uint64(len(s.seen))], uint64(1)<<(n%64)
	known := *place&bit != 0
	*place |= bit
	return !known
}
