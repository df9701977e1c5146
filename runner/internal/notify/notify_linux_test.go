package notify_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript/runner/confine"
	"github.com/toolscript/toolscript/runner/internal/notify"
)

// TestMain makes the test binary the helper, or a program that the helper executes.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case "helper":
			fmt.Fprintln(os.Stderr, help(os.Args[2], os.Args[3:]))
			os.Exit(1)
		case "work":
			os.Exit(work(os.Args[2]))
		}
	}
	os.Exit(m.Run())
}

// watched are the rules for the calls that the helper of the tests watches.
var watched = []notify.Rule{
	{Number: unix.SYS_OPENAT},
	{Number: unix.SYS_EXECVE},
	{Number: unix.SYS_GETPGID},
	{Number: unix.SYS_CONNECT},
	{Number: unix.SYS_UNLINKAT},
	// Only datagram sockets of IPv4 and IPv6.
	{Number: unix.SYS_SOCKET, Checks: []notify.Check{{Arg: 0, Mask: ^uint32(0), Any: []uint32{unix.AF_INET, unix.AF_INET6}}, {Arg: 1, Mask: 0xf, Any: []uint32{unix.SOCK_DGRAM}}}},
}

// help executes a program whose calls are watched. order says which other filter is installed, and when.
func help(order string, argv []string) error {
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if order == "silent" {
		return errors.New("no listener is sent")
	}
	other := func() error { _, err := confine.Program(confine.Rules{}); return err }
	if order == "filter first" {
		if err := other(); err != nil {
			return err
		}
	}
	env := os.Environ()
	listener, err := notify.Install(watched)
	if err != nil {
		return err
	}
	if err := notify.Send(3, listener); err != nil {
		return err
	}
	if order == "filter last" {
		if err := other(); err != nil {
			return err
		}
	}
	return syscall.Exec(argv[0], argv, env)
}

// work makes the system calls of a case, and prints what they return.
func work(what string) int {
	call := func(number uintptr, args ...uintptr) string {
		var a [3]uintptr
		copy(a[:], args)
		got, _, errno := unix.Syscall(number, a[0], a[1], a[2])
		if errno != 0 {
			return unix.ErrnoName(errno)
		}
		return strconv.Itoa(int(got))
	}
	switch what {
	case "value":
		fmt.Println(call(unix.SYS_GETPGID))
	case "bad pointer":
		at := unix.AT_FDCWD
		fmt.Println(call(unix.SYS_OPENAT, uintptr(at), 8), call(unix.SYS_OPENAT, uintptr(at), 0))
	case "two pages":
		fmt.Println(acrossPages())
	case "sockets":
		for _, s := range [][2]uintptr{{unix.AF_INET, unix.SOCK_DGRAM | unix.SOCK_CLOEXEC}, {unix.AF_INET6, unix.SOCK_DGRAM}, {unix.AF_INET, unix.SOCK_STREAM}, {unix.AF_UNIX, unix.SOCK_DGRAM}} {
			fd, err := unix.Socket(int(s[0]), int(s[1]), 0)
			if err == nil {
				_ = unix.Close(fd)
			}
			fmt.Println(err)
		}
	case "connect":
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err != nil {
			fmt.Println(err)
			return 1
		}
		fmt.Println(unix.Connect(fd, &unix.SockaddrInet4{Addr: [4]byte{192, 0, 2, 1}, Port: 443}))
		fd, err = unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err != nil {
			fmt.Println(err)
			return 1
		}
		fmt.Println(unix.Connect(fd, &unix.SockaddrUnix{Name: "/nowhere/socket"}), unix.Connect(fd, &unix.SockaddrUnix{Name: "@abstract"}))
	case "threads":
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 100 {
					if _, err := os.Stat("/"); err != nil {
						fmt.Println(err)
					}
					f, err := os.Open("/dev/null")
					if err != nil {
						fmt.Println(err)
						return
					}
					_ = f.Close()
				}
			})
		}
		all.Wait()
	case "wait":
		fmt.Println(call(unix.SYS_GETPGID))
	}
	return 0
}

// acrossPages opens a path that crosses a page boundary, and one that ends before an unmapped page.
func acrossPages() string {
	size := os.Getpagesize()
	pages, err := unix.Mmap(-1, 0, 3*size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return err.Error()
	}
	if err := unix.Mprotect(pages[2*size:], unix.PROT_NONE); err != nil {
		return err.Error()
	}
	at := unix.AT_FDCWD
	for _, start := range []int{size - 4, 2*size - len("/dev/null\x00")} {
		copy(pages[start:], "/dev/null\x00")
		fd, _, errno := unix.Syscall(unix.SYS_OPENAT, uintptr(at), uintptr(unsafe.Pointer(&pages[start])), 0)
		if errno != 0 {
			return errno.Error()
		}
		_ = unix.Close(int(fd))
	}
	return "both"
}

// child is a program whose system calls this process receives.
type child struct {
	cmd      *exec.Cmd
	out      bytes.Buffer
	listener *notify.Listener
}

func start(t *testing.T, order, dir string, argv ...string) *child {
	t.Helper()
	if err := notify.Probe(); err != nil {
		t.Skip(err)
	}
	self, err := os.Executable()
	must(t, err)
	if argv[0] == "work" {
		argv = append([]string{self}, argv...)
	}
	parent, inherited, err := notify.Pair()
	must(t, err)
	c := &child{cmd: exec.CommandContext(t.Context(), self, append([]string{"helper", order}, argv...)...)}
	c.cmd.Dir, c.cmd.Stdout, c.cmd.Stderr = dir, &c.out, &c.out
	c.cmd.ExtraFiles = []*os.File{inherited}
	must(t, c.cmd.Start())
	must(t, inherited.Close())
	c.listener, err = notify.Receive(t.Context(), parent)
	if err != nil {
		_ = c.cmd.Wait()
		t.Fatalf("%v: %s", err, c.out.String())
	}
	return c
}

// run answers the calls of a program until it ends, and returns its output.
func (c *child) run(t *testing.T, handle func(*notify.Call) notify.Answer) string {
	t.Helper()
	served := make(chan error, 1)
	go func() { served <- c.listener.Serve(handle) }()
	if err := c.cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, c.out.String())
	}
	must(t, <-served)
	must(t, c.listener.Close())
	return strings.TrimSpace(c.out.String())
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestObserve: calls of a program and of its child are seen with their paths, and continue.
func TestObserve(t *testing.T) {
	folder := t.TempDir()
	must(t, os.WriteFile(filepath.Join(folder, "file"), []byte("text"), 0o600))
	for _, order := range []string{"alone", "filter first", "filter last"} {
		var opened, executed []string
		out := start(t, order, folder, "/bin/sh", "-c", "cat file; cat < /proc/self/comm; exit 0").run(t, func(c *notify.Call) notify.Answer {
			var path string
			var err error
			switch c.Number {
			case unix.SYS_OPENAT:
				path, err = c.Path(c.Int(0), c.Args[1])
				opened = append(opened, path)
			case unix.SYS_EXECVE:
				path, err = c.Path(unix.AT_FDCWD, c.Args[0])
				executed = append(executed, filepath.Base(path))
			}
			if err != nil {
				t.Error(err)
			}
			if strings.HasPrefix(path, "/proc/") && path != fmt.Sprintf("/proc/%d/comm", c.PID) {
				t.Errorf("%s is not the folder of %d", path, c.PID)
			}
			return notify.Continue()
		})
		if out != "textcat" && out != "textsh" {
			t.Errorf("%s: output %q", order, out)
		}
		if !slices.Contains(opened, filepath.Join(folder, "file")) {
			t.Errorf("%s: opened %q", order, opened)
		}
		if !slices.Contains(executed, "sh") || !slices.Contains(executed, "cat") {
			t.Errorf("%s: executed %q", order, executed)
		}
	}
}

// TestAnswers: a call fails or returns a value without being executed.
func TestAnswers(t *testing.T) {
	folder := t.TempDir()
	secret := filepath.Join(folder, "secret")
	must(t, os.WriteFile(secret, []byte("secret"), 0o600))
	c := start(t, "alone", folder, "/bin/sh", "-c", "cat secret 2>&1; rm -f secret 2>&1; exit 0")
	out := c.run(t, func(c *notify.Call) notify.Answer {
		switch c.Number {
		case unix.SYS_OPENAT:
			if path, err := c.Path(c.Int(0), c.Args[1]); err == nil && path == secret {
				return notify.Fail(unix.EACCES)
			}
		case unix.SYS_UNLINKAT:
			return notify.Fail(unix.EROFS)
		}
		return notify.Continue()
	})
	if !strings.Contains(out, "Permission denied") || !strings.Contains(out, "Read-only file system") {
		t.Errorf("output %q", out)
	}
	if _, err := os.Stat(secret); err != nil {
		t.Error(err)
	}
	if out := start(t, "alone", "", "work", "value").run(t, func(c *notify.Call) notify.Answer {
		if c.Number == unix.SYS_GETPGID {
			return notify.Return(1234567)
		}
		return notify.Continue()
	}); out != "1234567" {
		t.Errorf("output %q", out)
	}
}

// TestMemory: texts may cross pages, and invalid pointers are errors.
func TestMemory(t *testing.T) {
	null := 0
	if out := start(t, "alone", "", "work", "two pages").run(t, func(c *notify.Call) notify.Answer {
		if c.Number == unix.SYS_OPENAT {
			if path, err := c.Path(c.Int(0), c.Args[1]); err != nil {
				t.Error(err)
			} else if path == "/dev/null" {
				null++
			}
		}
		return notify.Continue()
	}); out != "both" || null < 2 {
		t.Errorf("%d paths read, output %q", null, out)
	}
	failed := 0
	if out := start(t, "alone", "", "work", "bad pointer").run(t, func(c *notify.Call) notify.Answer {
		if c.Number == unix.SYS_OPENAT && c.Args[1] < 4096 {
			if text, err := c.Text(c.Args[1]); !errors.Is(err, unix.EFAULT) {
				t.Errorf("%q, %v", text, err)
			}
			if _, err := c.Bytes(c.Args[1], 16); !errors.Is(err, unix.EFAULT) {
				t.Error(err)
			}
			if _, err := c.Folder(12345); !errors.Is(err, unix.EBADF) {
				t.Error(err)
			}
			failed++
		}
		return notify.Continue()
	}); out != "EFAULT EFAULT" || failed != 2 {
		t.Errorf("%d pointers, output %q", failed, out)
	}
}

// TestChecks: only calls with the named arguments are reported.
func TestChecks(t *testing.T) {
	out := start(t, "alone", "", "work", "sockets").run(t, func(c *notify.Call) notify.Answer {
		if c.Number == unix.SYS_SOCKET {
			return notify.Fail(unix.EXFULL)
		}
		return notify.Continue()
	})
	if want := "exchange full\nexchange full\n<nil>\n<nil>"; out != want {
		t.Errorf("output %q, want %q", out, want)
	}
}

// TestOtherFilter: what another filter refuses is refused without a notification.
func TestOtherFilter(t *testing.T) {
	for _, order := range []string{"filter first", "filter last"} {
		out := start(t, order, "", "work", "sockets").run(t, func(c *notify.Call) notify.Answer {
			if c.Number == unix.SYS_SOCKET {
				t.Errorf("%s: notified", order)
			}
			return notify.Continue()
		})
		if refused := strings.TrimSpace(strings.Repeat("operation not permitted\n", 4)); out != refused {
			t.Errorf("%s: output %q", order, out)
		}
	}
}

func TestAddresses(t *testing.T) {
	var seen []string
	out := start(t, "alone", "", "work", "connect").run(t, func(c *notify.Call) notify.Answer {
		if c.Number == unix.SYS_CONNECT {
			a, err := c.Address(c.Args[1], c.Int(2))
			if err != nil {
				t.Error(err)
			}
			seen = append(seen, a.Path)
			if a.Family == unix.AF_INET {
				seen[len(seen)-1] = a.IP.String()
			}
			return notify.Fail(unix.ECONNREFUSED)
		}
		return notify.Continue()
	})
	if want := []string{"192.0.2.1:443", "/nowhere/socket", "@abstract"}; !slices.Equal(seen, want) {
		t.Errorf("addresses %q, want %q; output %q", seen, want, out)
	}
}

// TestThreads: many threads wait at the same time, while the scheduler sends them signals.
func TestThreads(t *testing.T) {
	opened := 0
	out := start(t, "alone", "", "work", "threads").run(t, func(c *notify.Call) notify.Answer {
		if c.Number == unix.SYS_OPENAT {
			if path, err := c.Path(c.Int(0), c.Args[1]); err == nil && path == "/dev/null" {
				opened++
			}
		}
		return notify.Continue()
	})
	if out != "" || opened < 800 {
		t.Errorf("%d calls, output %q", opened, out)
	}
}

// TestGone: the end of a caller that waits is noticed.
func TestGone(t *testing.T) {
	c := start(t, "alone", "", "work", "wait")
	served, killed := make(chan error, 1), make(chan error, 1)
	go func() {
		served <- c.listener.Serve(func(call *notify.Call) notify.Answer {
			if call.Number == unix.SYS_GETPGID {
				if !call.Valid() {
					t.Error("the caller waits, but its call is not valid")
				}
				_ = c.cmd.Process.Kill()
				killed <- c.cmd.Wait()
				if call.Valid() {
					t.Error("the call of a process that has ended is valid")
				}
				if _, err := call.Folder(unix.AT_FDCWD); !errors.Is(err, notify.ErrGone) {
					t.Errorf("its folder: %v", err)
				}
			}
			return notify.Continue()
		})
	}()
	if err := <-killed; err == nil {
		t.Error("the process was not killed")
	}
	must(t, <-served)
	must(t, c.listener.Close())
}

// TestClose checks that Close ends Serve while the process runs. Its watched calls then fail.
func TestClose(t *testing.T) {
	c := start(t, "alone", "", "/bin/cat")
	served := make(chan error, 1)
	go func() { served <- c.listener.Serve(func(*notify.Call) notify.Answer { return notify.Continue() }) }()
	must(t, c.listener.Close())
	must(t, c.listener.Close())
	must(t, <-served)
	_ = c.cmd.Wait() // it may have failed to start
}

// TestNoListener: Receive ends if the helper or the context ends.
func TestNoListener(t *testing.T) {
	self, err := os.Executable()
	must(t, err)
	parent, inherited, err := notify.Pair()
	must(t, err)
	cmd := exec.CommandContext(t.Context(), self, "helper", "silent")
	cmd.ExtraFiles = []*os.File{inherited}
	must(t, cmd.Start())
	must(t, inherited.Close())
	if l, err := notify.Receive(t.Context(), parent); err == nil || l != nil {
		t.Error("a listener was received from a helper that sent none")
	}
	_ = cmd.Wait()
	parent, inherited, err = notify.Pair()
	must(t, err)
	defer func() { _ = inherited.Close() }()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := notify.Receive(ctx, parent); !errors.Is(err, context.Canceled) {
		t.Errorf("Receive after the end of its context: %v", err)
	}
}

// TestNoLeak: file descriptors and goroutines are released when their process ends.
func TestNoLeak(t *testing.T) {
	run := func() {
		start(t, "alone", "", "/bin/true").run(t, func(*notify.Call) notify.Answer { return notify.Continue() })
	}
	run() // the runtime opens its own descriptors at the first use
	before := descriptors(t)
	for range 5 {
		run()
	}
	if after := descriptors(t); len(after) > len(before) {
		t.Errorf("descriptors before: %q, after: %q", before, after)
	}
}

func descriptors(t *testing.T) (links []string) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	must(t, err)
	for _, e := range entries {
		if link, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil {
			links = append(links, link)
		}
	}
	return links
}

// TestProbe: the probe ends even while the garbage collector stops all threads.
func TestProbe(t *testing.T) {
	if err := notify.Probe(); err != nil {
		t.Skip(err)
	}
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	for range 50 {
		if err := notify.Probe(); err != nil {
			t.Error(err)
			break
		}
	}
	close(stop)
	<-done
}
