package host_test

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/hub"
)

// TestOtherUser checks that another user cannot connect: first because of the permissions of the
// folder, and without those because of the user id of the process.
func TestOtherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can act as another user")
	}
	r := startHub(t, nil)
	probe := func() error {
		result := make(chan error, 1)
		ctx := kit.Within(t)
		go func() {
			runtime.LockOSThread() // never unlocked, so that the thread ends with the goroutine
			const other = 65534
			if _, _, failed := syscall.RawSyscall(syscall.SYS_SETRESUID, other, other, other); failed != 0 {
				t.Error(failed)
			}
			_, err := hub.Probe(ctx, r.endpoint())
			result <- err
		}()
		return <-result
	}
	if err := os.Chmod(r.path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := probe(); err == nil {
		t.Error("the permissions of the socket do not keep another user out")
	}
	for _, path := range []string{filepath.Dir(r.path), r.path} {
		if err := os.Chmod(path, 0o777); err != nil { // so that only the second check applies
			t.Fatal(err)
		}
	}
	if err := probe(); err == nil {
		t.Error("another user is admitted")
	}
	if _, err := hub.Probe(kit.Within(t), r.endpoint()); err != nil {
		t.Errorf("the user of the hub: %v", err)
	}
}
