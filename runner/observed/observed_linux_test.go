package observed_test

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript/runner/confined"
	"github.com/toolscript/toolscript/runner/observed"
)

// TestMain makes the test binary a server that does what its arguments say.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "act" {
		act(os.Args[2:])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func act(args []string) {
	dial := func(network, address string) {
		if c, err := net.Dial(network, address); err == nil {
			_ = c.Close()
		}
	}
	dial("tcp", args[0])
	dial("udp", args[1])
	dial("unix", args[2])
	dial("tcp", args[4])
	if c, err := net.ListenUDP("udp4", nil); err == nil {
		if at, err := net.ResolveUDPAddr("udp4", "127.0.0.1:9"); err == nil {
			_, _ = c.WriteTo([]byte("x"), at)
		}
		_ = c.Close()
	}
	if l, err := net.Listen("tcp4", "127.0.0.1:0"); err == nil {
		_ = l.Close()
	}
	if pid, err := strconv.Atoi(args[3]); err == nil {
		_ = syscall.Kill(pid, 0)
	}
	_ = unix.PtraceSeize(os.Getpid())
	_, _, _ = unix.NameToHandleAt(unix.AT_FDCWD, "/", 0)
	_ = unix.Setxattr("/no such file", "user.x", nil, 0)
	if fd, err := unix.InotifyInit1(0); err == nil {
		_, _ = unix.InotifyAddWatch(fd, "/etc", unix.IN_CREATE)
		_ = unix.Close(fd)
	}
	if fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW, 0); err == nil {
		_ = unix.Close(fd)
	}
	if fd, err := unix.Openat2(unix.AT_FDCWD, "/etc/hostname", &unix.OpenHow{}); err == nil {
		_ = unix.Close(fd)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// watch runs a program and returns the record of its actions, and its output.
func watch(t *testing.T, dir string, argv ...string) (*observed.Record, string) {
	t.Helper()
	if err := observed.Works(); err != nil {
		t.Skip(err)
	}
	self, err := os.Executable()
	must(t, err)
	r := &observed.Record{}
	r.Begin(observed.Base{Dir: dir, Port: proxyPort})
	w, socket, err := observed.Start(r)
	must(t, err)
	args, err := confined.Spec{Path: argv[0], Args: argv, Free: true, Watched: true}.Wrap(self)
	must(t, err)
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	var out bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = dir, &out, &out, []*os.File{socket}
	must(t, cmd.Start())
	must(t, socket.Close())
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, out.String())
	}
	w.Close()
	return r, out.String()
}

const proxyPort = 9 // nothing listens there

func TestFiles(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "a"), []byte("text"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "b"), []byte("text"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "script"), []byte("#!/bin/sh\nexit 0\n"), 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "e"), []byte("text"), 0o600))
	must(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
	must(t, os.Symlink("a", filepath.Join(dir, "link")))
	r, out := watch(t, dir, "/bin/sh", "-c", `
		cat link; cat missing 2>/dev/null; cat /proc/self/stat >/dev/null; touch -c -d 2001-01-01 e
		echo more >> b; echo new > c; truncate -c -s 1 e; mkdir d; mv c d/c; rm d/c; ln -s x l; ls folder; ./script; chmod 600 a
		mkdir folder 2>/dev/null; rm -f missing; mv missing x 2>/dev/null; exit 0`)
	if out != "text" {
		t.Errorf("output %q", out)
	}
	got := map[string]string{}
	for _, f := range r.Files() {
		if rest, ok := strings.CutPrefix(f.Path, dir+"/"); ok {
			got[rest] = fmt.Sprint(f.Counts)
		}
		if strings.HasPrefix(f.Path, "/proc/") && strings.HasSuffix(f.Path, "/stat") {
			t.Errorf("%s is its own", f.Path)
		}
	}
	want := map[string]string{
		// read, run, list, write, change
		"a":      "[1 0 0 0 0]", // read through its link
		"b":      "[0 0 0 0 1]", // opened with O_CREAT
		"e":      "[0 0 0 1 0]",
		"c":      "[0 0 0 0 2]", // created and renamed
		"d":      "[0 0 0 0 1]",
		"d/c":    "[0 0 0 0 2]",
		"l":      "[0 0 0 0 1]",
		"folder": "[0 0 1 0 0]",
		"script": "[1 1 0 0 0]", // read by the shell that runs it
	}
	for path, counts := range want {
		if got[path] != counts {
			t.Errorf("%s: %s, want %s", path, got[path], counts)
		}
	}
	if len(got) != len(want) {
		t.Errorf("files: %v", got)
	}
	if n := r.Unread(); n != 0 {
		t.Errorf("%d calls could not be read", n)
	}
	if !slices.Contains(r.Acts(), observed.Acted{Act: observed.Act{Kind: observed.Mode, Target: filepath.Join(dir, "a")}, Count: 1}) ||
		!slices.Contains(r.Acts(), observed.Acted{Act: observed.Act{Kind: observed.Times, Target: filepath.Join(dir, "e")}, Count: 1}) {
		t.Errorf("acts: %v", r.Acts())
	}
}

func TestActs(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	tcp, err := net.Listen("tcp4", "127.0.0.1:0")
	must(t, err)
	defer func() { _ = tcp.Close() }()
	path := filepath.Join(dir, "socket")
	socket, err := net.Listen("unix", path)
	must(t, err)
	defer func() { _ = socket.Close() }()
	self, err := os.Executable()
	must(t, err)
	r, _ := watch(t, dir, self, "act", tcp.Addr().String(), "127.0.0.1:53", path, strconv.Itoa(os.Getpid()), fmt.Sprintf("127.0.0.1:%d", proxyPort))
	var got []string
	for _, a := range r.Acts() {
		got = append(got, a.Kind+" "+a.Target)
	}
	comm, err := os.ReadFile("/proc/self/comm")
	must(t, err)
	for _, want := range []string{
		"connect " + tcp.Addr().String(), "datagram 127.0.0.1:53", "datagram 127.0.0.1:9", "unix " + path, "listen TCP port 0",
		"signal " + strings.TrimSpace(string(comm)), "call ptrace", "call listen", "call name_to_handle_at", "attribute setxattr", "socket netlink",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("%q was not observed", want)
		}
	}
	if slices.Contains(got, fmt.Sprintf("connect 127.0.0.1:%d", proxyPort)) {
		t.Error("a connection to the proxy counts as one without it")
	}
	if !slices.ContainsFunc(r.Files(), func(f observed.File) bool { return f.Path == "/etc/hostname" && f.Reads() }) {
		t.Error("openat2 was not observed")
	}
	if !slices.ContainsFunc(r.Files(), func(f observed.File) bool { return f.Path == "/etc" && f.Folder && f.Reads() }) {
		t.Error("the watch of a folder was not observed")
	}
	if t.Failed() {
		t.Logf("observed: %q", got)
	}
}

// TestCloseDoesNotHang: Close returns even if the watch examines a file that never answers.
func TestCloseDoesNotHang(*testing.T) { observed.Hanging().Close() }
