package audit_test

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/toolscript/toolscript/actors/audit"
)

// TestFullDisk runs in a process whose files cannot grow beyond a limit, which fails
// writes in the middle of a line as a full disk does.
func TestFullDisk(t *testing.T) {
	dir := os.Getenv("CHAIN_FULL_DIR")
	if dir == "" {
		dir = t.TempDir()
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFullDisk$", "-test.v")
		c.Env = append(os.Environ(), "CHAIN_FULL_DIR="+dir)
		out, err := c.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "the limit was reached") {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	most := limit
	w := audit.NewChainWriter(audit.ChainOptions{Dir: dir})
	defer w.Close()
	add(t, w, start, 0, 3)
	most.Cur = 1000
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &most); err != nil {
		t.Fatal(err)
	}
	written := int64(4)
	for ; ; written++ {
		err := w.Append([][]byte{entry(3)}, start)
		if errors.Is(err, syscall.EFBIG) {
			break
		}
		if err != nil || written > 100 {
			t.Fatalf("line %d: %v, want %v", written, err, syscall.EFBIG)
		}
	}
	t.Log("the limit was reached")
	intact(t, dir, written)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	add(t, w, start, 4, 6)
	intact(t, dir, written+2)
}
