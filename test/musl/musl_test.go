//go:build linux

// Package musl_test runs the static program in a root that has only busybox, as that of Alpine has, without the C library
// for which Go builds programs elsewhere. It needs busybox-static of Debian and namespaces for users.
package musl_test

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/fixture/files"
)

// rootVariable names the root in the process that enters it.
const rootVariable = "MUSL_ROOT"

func TestMain(m *testing.M) {
	if root := os.Getenv(rootVariable); root != "" {
		fmt.Fprintln(os.Stderr, enter(root)) // it returns only an error
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// enter makes root the root of this process, which is the first one of its namespaces, and becomes a shell there.
func enter(root string) error {
	if err := syscall.Mount("proc", filepath.Join(root, "proc"), "proc", 0, ""); err != nil {
		return fmt.Errorf("proc: %w", err)
	}
	for _, device := range []string{"null", "urandom"} {
		if err := syscall.Mount("/dev/"+device, filepath.Join(root, "dev", device), "", syscall.MS_BIND, ""); err != nil {
			return fmt.Errorf("%s: %w", device, err)
		}
	}
	if err := errors.Join(syscall.Chroot(root), os.Chdir("/work")); err != nil {
		return err
	}
	return syscall.Exec("/bin/sh", []string{"sh", "-e", "/work/script.sh"}, []string{"HOME=/work", "PATH=/usr/bin:/bin"})
}

// TestBusyboxRoot: the program prints its version, runs scripts, and starts a server and a gateway, which ends.
func TestBusyboxRoot(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the static program")
	}
	busybox, err := exec.LookPath("busybox")
	if err != nil || interpreter(t, busybox) != "" {
		t.Skip("NOT RUN: there is no static busybox; on Debian: apt-get install busybox-static")
	}
	root := makeRoot(t, busybox)
	script, err := filepath.Abs("testdata/script.sh")
	if err != nil {
		t.Fatal(err)
	}
	if err := files.Link(script, filepath.Join(root, "work/script.sh"), 0o644); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), rootVariable+"="+root)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) {
		t.Skipf("NOT RUN: this system has no namespaces for users: %v", err)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{
		"version: toolscript " + toolscript.Version, "script: 42", `server: "work"`, "gateway: 42", `gateway's server: "work"`, "stopped: none is left",
	} {
		if !strings.Contains("\n"+string(out), "\n"+want+"\n") {
			t.Errorf("there is no line %q in\n%s", want, out)
		}
	}
}

// makeRoot makes a root with busybox and the static program.
func makeRoot(t *testing.T, busybox string) string {
	t.Helper()
	root := t.TempDir()
	for _, folder := range []string{"bin", "usr/bin", "dev", "proc", "tmp", "work"} {
		if err := os.MkdirAll(filepath.Join(root, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, device := range []string{"null", "urandom"} {
		if err := os.WriteFile(filepath.Join(root, "dev", device), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := files.Link(busybox, filepath.Join(root, "bin/busybox"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sh", "sleep", "ps", "grep", "cat", "kill"} {
		if err := os.Symlink("busybox", filepath.Join(root, "bin", name)); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(root, "usr/bin/toolscript")
	build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", program, "github.com/toolscript/toolscript/cmd/toolscript")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	if name := interpreter(t, program); name != "" {
		t.Fatalf("the program is not static: it needs %s", name)
	}
	return root
}

// interpreter returns the program that loads the libraries of a program, or "" if it is static.
func interpreter(t *testing.T, path string) string {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read
	for _, part := range f.Progs {
		if part.Type == elf.PT_INTERP {
			name := make([]byte, part.Filesz)
			if _, err := part.ReadAt(name, 0); err != nil {
				t.Fatal(err)
			}
			return strings.Trim(string(name), "\x00")
		}
	}
	return ""
}
