package quickjs

import "testing"

// BenchmarkReset measures the reset of a VM after a small run, without the run.
func BenchmarkReset(b *testing.B) {
	vm := vmOf(b, Options{})
	for b.Loop() {
		b.StopTimer()
		for page := range uint32(60) { // the number of pages that a small script writes to
			vm.instance.memory.WriteUint32Le(1_048_576+page*pageSize, page)
		}
		vm.fresh = false
		b.StartTimer()
		if err := vm.Reset(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
