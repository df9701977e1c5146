package session

import (
	"math"
	"testing"
)

func TestNumbers(t *testing.T) {
	var s numbers
	for i, c := range []struct {
		n    uint64
		want bool
	}{
		{0, false},
		{1, true},
		{1, false},
		{3, true},
		{2, true},
		{2, false},
		{3, false},
		{3 + mostLate, true}, // replaces 3
		{3, false},
		{4, true},
		{4, false},
		{2 + mostLate, true},
		{10 * mostLate, true},
		{10*mostLate - 1, true},
		{9 * mostLate, false},
		{9*mostLate + 1, true},
		{1 << 32, true},
		{1<<32 - mostLate + 1, true},
		{1<<32 - mostLate + 1, false},
		{math.MaxUint64, false},
		{math.MaxUint64 - mostLate, false},
	} {
		if got := s.add(c.n); got != c.want {
			t.Errorf("%d: add(%d) = %v, want %v", i, c.n, got, c.want)
		}
	}
}
