package quickjs

import "testing"

// BenchmarkReset is the reset of a VM after a small run, without the run.
func BenchmarkReset(b *testing.B) {
	e, err := NewEngine(b.Context(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close() //nolint:errcheck // nothing was written
	vm, err := e.NewVM(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer vm.Close() //nolint:errcheck // nothing was written
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
