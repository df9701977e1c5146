package session

import "math"

// mostLate bounds how far a number may be behind the highest number. A call only overtakes
// another call if the arguments of the other have a toJSON method that makes calls.
const mostLate = 4096

// numbers detects repeated numbers, counted from 1, in constant space.
type numbers struct {
	highest uint64
	seen    [mostLate / 64]uint64 // one bit for each of the last mostLate numbers up to highest
}

// add records a number. It returns false if the number was recorded before or is older than
// mostLate allows.
func (s *numbers) add(n uint64) bool {
	if n == 0 || n > math.MaxInt64 || n+mostLate <= s.highest { // a remote runner can send any number
		return false
	}
	for next := max(s.highest+1, n-min(n, mostLate)+1); next <= n; next++ { // clear bits that enter the window
		s.seen[next/64%uint64(len(s.seen))] &^= 1 << (next % 64)
	}
	s.highest = max(s.highest, n)
	place, bit := &s.seen[n/64%uint64(len(s.seen))], uint64(1)<<(n%64)
	known := *place&bit != 0
	*place |= bit
	return !known
}
