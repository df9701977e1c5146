package quickjs

import "testing"

// BenchmarkReset is the reset of a VM after a small run, without the run.
func BenchmarkReset(b *testing.B) {
	vm := vmOf(b, Options{})
	for b.Loop() {
		b.StopTimer()
		for page := range uint32(60) { // as many pages as a small script writes to
			vm.guest.memory.WriteUint32Le(1_048_576+page*pageSize, page)
		}
		vm.fresh = false
		b.StartTimer()
		if err := vm.Reset(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
