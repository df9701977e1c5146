package wall_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript/runner/wall"
)

const lockCommand = "__lock"

// TestMain makes the test program one that confines another, or locks itself.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == wall.Command {
		os.Exit(wall.Main(os.Args[2:]))
	}
	if len(os.Args) > 1 && os.Args[1] == lockCommand {
		os.Exit(lockAndWork())
	}
	os.Exit(m.Run())
}

func confined(t *testing.T, a wall.Access, program string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	if err := wall.Confine(cmd, self, a); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// system is what a program needs to start.
var system = []string{"/bin", "/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/nowhere"}

func TestConfinedProgramReachesWhatItIsGiven(t *testing.T) {
	given, other, scratch := t.TempDir(), t.TempDir(), t.TempDir()
	for _, dir := range []string{given, other} {
		if err := os.WriteFile(filepath.Join(dir, "file"), []byte("text of "+filepath.Base(dir)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	access := wall.Access{Read: append([]string{given}, system...), Write: []string{scratch, "/dev/null"}}
	for _, test := range []struct {
		name, script string
		works        bool
	}{
		{"reads what it may", "cat " + given + "/file", true},
		{"reads something else", "cat " + other + "/file", false},
		{"lists something else", "ls " + other, false},
		{"writes what it may", "echo x > " + scratch + "/new && cat " + scratch + "/new", true},
		{"writes what it may read", "echo x > " + given + "/new", false},
		{"reads the users", "cat /etc/passwd", false},
		{"reads processes", "cat /proc/1/environ", false},
		{"signals its starter", fmt.Sprintf("kill -0 %d", os.Getpid()), false},
		{"has children that may more", "sh -c 'cat " + other + "/file'", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			cmd := confined(t, access, "/bin/sh", "-c", test.script)
			out, err := cmd.CombinedOutput()
			if (err == nil) != test.works {
				t.Errorf("%s: %v, want that it works: %t\n%s", test.script, err, test.works, out)
			}
		})
	}
}

func TestConfinedProgramKeepsNameFolderAndEnvironment(t *testing.T) {
	cmd := confined(t, wall.Access{Read: system, Write: []string{"/dev/null"}}, "/bin/sh", "-c", `echo "$0 $X $$"; pwd`, "name")
	cmd.Env, cmd.Dir = []string{"X=x"}, "/usr"
	out, err := cmd.Output()
	if want := fmt.Sprintf("name x %d\n/usr\n", cmd.Process.Pid); err != nil || string(out) != want {
		t.Errorf("output = %q, %v; want %q", out, err, want)
	}
}

// TestConfinedProgramReachesItsPort dials with bash, which knows how.
func TestConfinedProgramReachesItsPort(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal(err)
	}
	port := func() uint16 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		return uint16(l.Addr().(*net.TCPAddr).Port)
	}
	mine, other := port(), port()
	access := wall.Access{Read: system, Write: []string{"/dev/null"}, Connect: []uint16{mine}}
	for p, works := range map[uint16]bool{mine: true, other: false} {
		cmd := confined(t, access, bash, "-c", fmt.Sprintf("exec 3<>/dev/tcp/127.0.0.1/%d", p))
		if out, err := cmd.CombinedOutput(); (err == nil) != works {
			t.Errorf("port %d: %v, want that it works: %t\n%s", p, err, works, out)
		}
	}
}

func TestConfineSaysWhatIsWrong(t *testing.T) {
	if err := wall.Confine(exec.CommandContext(t.Context(), "toolscript-nowhere"), "self", wall.Access{}); err == nil {
		t.Error("a program that does not exist was confined")
	}
	out, err := confined(t, wall.Access{Write: []string{"/dev/null"}}, "/bin/true").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "start /bin/true: permission denied") {
		t.Errorf("a program that may not be read: %v, %q", err, out)
	}
}

// TestGoWorksBehindTheFilter: threads, timers, collections and pipes go on, and
// files are out of reach.
func TestGoWorksBehindTheFilter(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), self, lockCommand).CombinedOutput()
	if err != nil || string(out) != "worked\n" {
		t.Errorf("%v\n%s", err, out)
	}
}

func lockAndWork() int {
	runtime.LockOSThread() // both calls are of one thread
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		fmt.Println(err)
		return 1
	}
	part, err := wall.Seccomp()
	if err != nil || !part.Active {
		fmt.Println(part, err)
		return 1
	}
	if _, err := os.ReadFile("/etc/passwd"); !os.IsPermission(err) {
		fmt.Println("a file was read:", err)
		return 1
	}
	return work()
}

// work has twenty goroutines that block their threads in pipes, garbage, and
// time that passes.
func work() int {
	done := make(chan error)
	for range 20 {
		go func() {
			r, w, err := os.Pipe()
			if err != nil {
				done <- err
				return
			}
			go func() {
				time.Sleep(time.Millisecond)
				_, _ = w.Write(make([]byte, 1<<10))
				_ = w.Close()
			}()
			for garbage := make([][]byte, 0, 100); len(garbage) < cap(garbage); {
				garbage = append(garbage, make([]byte, 1<<16))
			}
			_, err = r.Read(make([]byte, 1))
			done <- err
		}()
	}
	for range 20 {
		if err := <-done; err != nil {
			fmt.Println(err)
			return 1
		}
	}
	fmt.Println("worked")
	return 0
}
