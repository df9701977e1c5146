package command_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/command"
	"github.com/toolscript/toolscript/test/fixture/race"
)

func init() {
	programs["__try"] = try
	programs["__hold"] = hold
	programs["__orphan"] = orphan
	programs["__caller"] = caller
}

// attempts are actions that a program tries; each gets the argument of the command line.
var attempts = map[string]func(arg string) error{
	"read":    func(path string) error { _, err := os.ReadFile(path); return err },
	"list":    func(path string) error { _, err := os.ReadDir(path); return err },
	"write":   func(path string) error { return os.WriteFile(path, []byte("changed"), 0o600) },
	"append":  func(path string) error { return closed(os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)) },
	"mkdir":   func(path string) error { return os.Mkdir(path, 0o700) },
	"remove":  os.Remove,
	"symlink": func(path string) error { return os.Symlink("target", path) },
	"fifo":    func(path string) error { return unix.Mkfifo(path, 0o600) },
	"bind":    func(path string) error { return unix.Mknod(path, unix.S_IFSOCK|0o600, 0) },
	"truncate": func(path string) error {
		return os.Truncate(path, 0)
	},
	"moveOut":  func(path string) error { return os.Rename("file", path) },
	"moveIn":   func(path string) error { return os.Rename(path, "moved") },
	"linkOut":  func(path string) error { return os.Link("file", path) },
	"linkIn":   func(path string) error { return os.Link(path, "linked") },
	"throughA": func(string) error { return closed(os.OpenFile("link", os.O_WRONLY|os.O_CREATE, 0o600)) },
	"tcp":      func(address string) error { return dial("tcp", address) },
	"udp":      func(address string) error { return dial("udp", address) },
	"unix":     func(path string) error { return dial("unix", path) },
	"listen":   func(string) error { return listen("tcp", "127.0.0.1:0") },
	"netlink":  func(string) error { return socket(unix.AF_NETLINK, unix.SOCK_RAW) },
	"vsock":    func(string) error { return socket(unix.AF_VSOCK, unix.SOCK_STREAM) },
	"packet":   func(string) error { return socket(unix.AF_PACKET, unix.SOCK_RAW) },
	"alg":      func(string) error { return socket(unix.AF_ALG, unix.SOCK_SEQPACKET) },
	"unixgram": func(path string) error { return dial("unixgram", path) },
	"mptcp":    func(string) error { return socket(unix.AF_INET, unix.SOCK_STREAM) },
	"pair": func(string) error {
		_, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		return err
	},
	"signal": func(pid string) error {
		n, err := strconv.Atoi(pid)
		return errors.Join(err, syscall.Kill(n, 0))
	},
	"parent": func(string) error { return syscall.Kill(os.Getppid(), 0) },
}

func closed(f *os.File, err error) error {
	if err == nil {
		err = f.Close()
	}
	return err
}

func dial(network, address string) error {
	c, err := (&net.Dialer{}).DialContext(context.Background(), network, address)
	if err == nil {
		_, err = c.Write([]byte("x"))
		_ = c.Close()
	}
	return err
}

func listen(network, address string) error {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), network, address)
	if err == nil {
		err = l.Close()
	}
	return err
}

func socket(domain, kind int) error {
	fd, err := unix.Socket(domain, kind, 0)
	if err == nil {
		err = unix.Close(fd)
	}
	return err
}

// try makes one attempt and prints "done" or "refused".
func try(args []string) int {
	err := attempts[args[0]](args[1])
	switch {
	case err == nil:
		fmt.Println("done")
	case errors.Is(err, os.ErrPermission), errors.Is(err, unix.EXDEV):
		fmt.Println("refused")
	default:
		fmt.Println("failed:", err)
	}
	return 0
}

// outcome runs one attempt as a command and returns what it printed.
func outcome(t *testing.T, s command.Spec, attempt, arg string) string {
	t.Helper()
	s.Args = []string{executable(t), "__try", attempt, arg}
	result := run(t, s)
	return strings.TrimSpace(result.Stdout) + result.Stderr
}

func executable(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// refusedIf returns the expected outcome of an attempt that an active part of the confinement refuses.
func refusedIf(active bool) string {
	if active {
		return "refused"
	}
	return "done"
}

func TestFilesOutsideOfTheRoot(t *testing.T) {
	refused := refusedIf(command.Confinement()[0].Active)
	for _, test := range []struct{ attempt, path, want string }{
		{"read", "existing", "done"},
		{"read", "/proc/self/status", "done"},
		{"list", "", "done"},
		{"write", "existing", refused},
		{"write", "new", refused},
		{"append", "existing", refused},
		{"truncate", "existing", refused},
		{"mkdir", "new", refused},
		{"remove", "existing", refused},
		{"symlink", "new", refused},
		{"fifo", "new", refused},
		{"bind", "new", refused},
		{"moveOut", "new", refused},
		{"moveIn", "existing", refused},
		{"linkOut", "new", refused},
		{"linkIn", "existing", refused},
		{"throughA", "", refused},
		{"write", "/dev/null", "done"},
	} {
		t.Run(test.attempt+" "+test.path, func(t *testing.T) {
			s, outside := spec(t), t.TempDir()
			file(t, filepath.Join(s.Root, "file"))
			file(t, filepath.Join(outside, "existing"))
			if err := os.Symlink(filepath.Join(outside, "existing"), filepath.Join(s.Root, "link")); err != nil {
				t.Fatal(err)
			}
			path := test.path
			if !filepath.IsAbs(path) {
				path = filepath.Join(outside, path)
			}
			want := test.want
			if test.attempt == "truncate" && strings.Contains(command.Confinement()[0].Detail, "lacks truncation") {
				want = "done"
			}
			if got := outcome(t, s, test.attempt, path); got != want {
				t.Errorf("the attempt is %q, want %q", got, want)
			}
		})
	}
}

func TestFilesInTheRoot(t *testing.T) {
	s, other := spec(t), t.TempDir()
	s.Writable = []string{other, filepath.Join(other, "missing")}
	file(t, filepath.Join(s.Root, "file"))
	for _, attempt := range []struct{ name, path string }{
		{"write", "new"}, {"append", "new"}, {"truncate", "new"}, {"linkOut", "second"}, {"moveOut", "third"}, {"remove", "third"},
		{"mkdir", "folder"}, {"symlink", "link"}, {"fifo", "pipe"}, {"write", filepath.Join(other, "new")},
	} {
		path := attempt.path
		if !filepath.IsAbs(path) {
			path = filepath.Join(s.Root, path)
		}
		if got := outcome(t, s, attempt.name, path); got != "done" {
			t.Errorf("%s %s is %q", attempt.name, path, got)
		}
	}
}

// TestNetwork checks which servers of this process a program can reach.
func TestNetwork(t *testing.T) {
	tcp, path := "", filepath.Join(t.TempDir(), "socket")
	abstract := "@toolscript" + strings.ReplaceAll(path, "/", "-")
	for _, network := range []string{"tcp", "unix", "abstract"} {
		address := "127.0.0.1:0"
		switch network {
		case "unix":
			address = path
		case "abstract":
			network, address = "unix", abstract
		}
		l, err := (&net.ListenConfig{}).Listen(t.Context(), network, address)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() //nolint:errcheck // the test is over
		if network == "tcp" {
			tcp = l.Addr().String()
		}
	}
	const no, yes = "refused", "done"
	for _, test := range []struct{ name, attempt, arg, without, with string }{
		{"tcp", "tcp", tcp, no, yes},
		{"udp", "udp", tcp, no, yes},
		{"listen", "listen", "", no, yes},
		{"mptcp", "mptcp", "", no, yes},
		{"a pair", "pair", "", yes, yes},
		// Behind these sockets are programs that are not confined, such as tmux and the session bus.
		{"a path", "unix", path, no, no},
		{"an abstract name", "unix", abstract, no, no},
		{"a path, datagrams", "unixgram", path, no, no},
		{"netlink", "netlink", "", no, no},
		{"vsock", "vsock", "", no, no},
		{"packet", "packet", "", no, no},
		{"alg", "alg", "", no, no},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := spec(t)
			if got := outcome(t, s, test.attempt, test.arg); got != test.without {
				t.Errorf("the attempt is %q, want %q", got, test.without)
			}
			s.Network = true
			if got := outcome(t, s, test.attempt, test.arg); got != test.with {
				t.Errorf("with the network the attempt is %q, want %q", got, test.with)
			}
		})
	}
}

// TestOtherProcesses checks that a program cannot signal the helper or the gateway, and cannot
// read the environment of the gateway.
func TestOtherProcesses(t *testing.T) {
	self := strconv.Itoa(os.Getpid())
	part := command.Confinement()[0]
	signals := refusedIf(part.Active && strings.Contains(part.Detail, "signals") && !strings.Contains(part.Detail, "lacks"))
	for attempt, arg := range map[string]string{"signal": self, "parent": ""} {
		if got := outcome(t, spec(t), attempt, arg); got != signals {
			t.Errorf("%s is %q, want %q", attempt, got, signals)
		}
	}
	if got, want := outcome(t, spec(t), "read", "/proc/"+self+"/environ"), refusedIf(part.Active); got != want {
		t.Errorf("reading the environment of the gateway is %q, want %q", got, want)
	}
}

func TestConfinementIsReported(t *testing.T) {
	s := spec(t, "true")
	got := run(t, s).Confinement
	if len(got) != 3 || got[0] != command.Confinement()[0] || got[0].Detail == "" || got[1].Name != "system calls" || got[2].Name != "network" || got[2].Detail == "" || got[1].Active != got[2].Active {
		t.Errorf("the confinement is %+v", got)
	}
	s.Network = true
	if got := run(t, s).Confinement; len(got) != 3 || got[1].Detail == "" || got[2].Active {
		t.Errorf("with the network the confinement is %+v", got)
	}
}

// hold takes a lock, prints a line, and never ends.
func hold(args []string) int {
	f, err := os.OpenFile(args[0], os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX)
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("held")
	select {}
}

// orphan starts a process in its own session that holds the lock args[0], and ends if args[1] is "end".
func orphan(args []string) int {
	self, err := os.Executable()
	if err != nil {
		return 1
	}
	child := exec.CommandContext(context.Background(), self, "__hold", args[0])
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	read, write, err := os.Pipe()
	if err != nil {
		return 1
	}
	child.Stdout = write
	if err := child.Start(); err != nil {
		return 1
	}
	line, _ := bufio.NewReader(read).ReadString('\n')
	fmt.Print(line)
	if args[1] == "end" {
		return 0
	}
	select {}
}

// caller acts as a gateway: it runs a program that leaves an orphan.
func caller(args []string) int {
	self, err := os.Executable()
	if err != nil {
		return 1
	}
	_, err = runner.Run(context.Background(), command.Spec{Args: []string{self, "__orphan", args[0], "stay"}, Root: filepath.Dir(args[0]), Env: []string{race.Env}})
	fmt.Println(err)
	return 1
}

// TestDescendantsEnd checks that a child that has left the process group and session of its program
// ends when the program ends, when the call is cancelled, and when the gateway is killed.
func TestDescendantsEnd(t *testing.T) {
	t.Run("with the program", func(t *testing.T) {
		s := spec(t)
		lock := filepath.Join(s.Root, "lock")
		s.Args = []string{executable(t), "__orphan", lock, "end"}
		if got := run(t, s); got.Stdout != "held\n" || got.ExitCode != 0 {
			t.Fatalf("the result is %+v", got)
		}
		free(t, lock, unix.LOCK_NB)
	})
	t.Run("with the call", func(t *testing.T) {
		s := spec(t)
		lock, ready := filepath.Join(s.Root, "lock"), filepath.Join(s.Root, "ready")
		if err := unix.Mkfifo(ready, 0o600); err != nil {
			t.Fatal(err)
		}
		s.Args = []string{"sh", "-c", `exec "$0" __orphan "$1" stay > "$2"`, executable(t), lock, ready}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() {
			text, _ := os.Open(ready)
			line, _ := bufio.NewReader(text).ReadString('\n')
			if line == "held\n" {
				cancel()
			}
		}()
		if _, err := runner.Run(ctx, s); toolscript.KindOf(err) != toolscript.Cancelled {
			t.Fatalf("the error is %v", err)
		}
		free(t, lock, unix.LOCK_NB)
	})
	t.Run("with the gateway", func(t *testing.T) {
		root := t.TempDir()
		lock := filepath.Join(root, "lock")
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer read.Close() //nolint:errcheck // only read
		gateway := exec.CommandContext(t.Context(), executable(t), "__caller", lock)
		gateway.Stdout = write
		if err := gateway.Start(); err != nil {
			t.Fatal(err)
		}
		_ = write.Close()
		awaitHolder(t, lock)
		if err := gateway.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if text, _ := io.ReadAll(read); len(text) > 0 {
			t.Errorf("the gateway printed %q", text)
		}
		_ = gateway.Wait() // killed, so an error is expected
		free(t, lock, 0)
	})
}

// awaitHolder waits until another process holds the lock.
func awaitHolder(t *testing.T, path string) {
	t.Helper()
	for held := false; !held; {
		if t.Context().Err() != nil {
			t.Fatal("the lock is not held")
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		held = errors.Is(unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB), unix.EWOULDBLOCK)
		_ = f.Close() // releases the lock
	}
}

// free takes a lock that must be free, or with how 0 waits until it is free.
func free(t *testing.T, path string, how int) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // releases the lock
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|how); err != nil {
		t.Errorf("the process that holds the lock continues: %v", err)
	}
}

func file(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
}
