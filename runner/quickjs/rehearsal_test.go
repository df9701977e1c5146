package quickjs

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/runner"
)

// TestWarm checks that a warmed VM has the memory of the image. Warming copies the pages to which a
// small script writes in advance.
func TestWarm(t *testing.T) {
	vm := vmOf(t, Options{})
	job := runner.Job{File: "script.js", Compiled: runner.Compiled{JavaScript: `export default [..."abc"].map((c) => c + c);`}, Names: &naming.Names{}}
	for range 2 { // a new VM, and a VM after a run
		vm.Warm()
		image, _ := vm.instance.memory.Read(0, vm.instance.memory.Size())
		if !bytes.Equal(image, whole(vm.engine.image.snapshot)) {
			t.Fatal("a warm VM is not what the image is")
		}
		if out := vm.Run(t.Context(), job, &rehearsed{}); out.Err != nil || string(out.Value) != `["aa","bb","cc"]` {
			t.Fatalf("outcome = %+v", out)
		}
		if err := vm.Reset(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if runtime.GOOS == "linux" && len(vm.engine.image.hot) == 0 {
		t.Error("nothing is known of what scripts write to")
	}
}
