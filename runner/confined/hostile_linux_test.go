package confined_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript/runner/confine"
	"github.com/toolscript/toolscript/test/fixture/hostile"
)

// target describes what the hostile program attacks.
type target struct {
	Secret  string // file that the server must not access
	Program string // executable beside Secret
	Temp    string // folder that the server may write to
	System  string // file that the server may only read
	Victim  int    // process of the same user
	Gateway int    // process that has started the server
	TCP4    string
	TCP6    string
	UDP     string
	Unix    string // stream socket with a path
	Dgram   string // datagram socket with a path
	Name    string // abstract socket
	Port    int    // port of the proxy
	Other4  string // other hosts that listen at the port of the proxy
	Other6  string

	// Watches says that the server may watch its folders.
	Watches bool
	// Harmless excludes attempts that would change the machine if they succeeded.
	Harmless bool
}

// attack makes all attempts, and prints the names of those that succeeded.
func attack(text string) int {
	var t target
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	runtime.LockOSThread()
	done := map[string]string{}
	attempts := t.attempts()
	maps.Copy(attempts, t.pastTheProxy())
	maps.Copy(attempts, t.onFiles())
	for name, attempt := range (hostile.Target{Victim: t.Victim, File: t.System, Folder: t.Temp}).Attempts() {
		attempts["base: "+name] = attempt
	}
	if t.Harmless {
		for _, name := range harmful {
			delete(attempts, name)
		}
	}
	for name, attempt := range attempts {
		if err := attempt(); err != nil {
			done[name] = err.Error()
		} else {
			done[name] = ""
		}
	}
	out, err := json.Marshal(done)
	if err != nil {
		return 2
	}
	fmt.Println(string(out))
	return 0
}

// harmful are attempts that only a confined program makes, because they succeed for root.
var harmful = []string{"mount", "chroot", "a user namespace", "the host's name", "the clock", "the kernel's log"}

func call(number uintptr, args ...uintptr) error {
	var a [6]uintptr
	copy(a[:], args)
	if _, _, errno := unix.Syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5]); errno != 0 {
		return errno
	}
	return nil
}

func socket(domain, kind, protocol int) error {
	fd, err := unix.Socket(domain, kind, protocol)
	if err == nil {
		_ = unix.Close(fd)
	}
	return err
}

func dialing(network, address string) error {
	c, err := net.DialTimeout(network, address, 2*time.Second)
	if err == nil {
		_ = c.Close()
	}
	return err
}

func reading(path string) error {
	_, err := os.ReadFile(path)
	return err
}

func pointer(b []byte) uintptr { return uintptr(unsafe.Pointer(&b[0])) }

func (t target) attempts() map[string]func() error {
	proc := "/proc/" + strconv.Itoa(t.Victim) + "/"
	beside := filepath.Join(filepath.Dir(t.Secret), "new")
	return map[string]func() error{
		"read a file":      func() error { return reading(t.Secret) },
		"list a folder":    func() error { _, err := os.ReadDir(filepath.Dir(t.Secret)); return err },
		"create a file":    func() error { return os.WriteFile(beside, nil, 0o600) },
		"truncate a file":  func() error { return os.Truncate(t.Secret, 6) },
		"append to a file": func() error { f, err := os.OpenFile(t.Secret, os.O_WRONLY|os.O_APPEND, 0); _ = f.Close(); return err },
		"make a folder":    func() error { return os.Mkdir(beside+"-folder", 0o700) },
		"make a link":      func() error { return os.Symlink("/", beside+"-link") },
		"make a pipe":      func() error { return unix.Mkfifo(beside+"-pipe", 0o600) },
		"link a file here": func() error { return os.Link(t.Secret, filepath.Join(t.Temp, "hard")) },
		"read through a link": func() error {
			_ = os.Symlink(t.Secret, filepath.Join(t.Temp, "soft"))
			return reading(filepath.Join(t.Temp, "soft"))
		},
		"read through ..": func() error {
			return reading(t.Temp + "/../" + filepath.Base(filepath.Dir(t.Secret)) + "/" + filepath.Base(t.Secret))
		},
		"read through its root": func() error { return reading("/proc/self/root" + t.Secret) },
		"run a program":         func() error { return exec.Command(t.Program).Run() },
		"change a mode":         func() error { return os.Chmod(t.Secret, 0o644) },
		"change an open mode": func() error {
			f, err := os.Open(t.System)
			if err == nil {
				err = f.Chmod(0o644)
				_ = f.Close()
			}
			return err
		},
		"change a mode through a link": func() error {
			link := filepath.Join(t.Temp, "mode")
			_ = os.Symlink(t.Secret, link)
			return os.Chmod(link, 0o644)
		},
		"change a mode through a link of /proc": func() error { return os.Chmod("/proc/self/root"+t.Secret, 0o644) },
		"change a mode by fchmodat2": func() error {
			path := append([]byte(t.Secret), 0)
			at := unix.AT_FDCWD
			return call(confine.Fchmodat2, uintptr(at), pointer(path), 0o644)
		},
		"change a mode of a system file": func() error { return os.Chmod(t.System, 0o644) },
		"make a file setuid": func() error {
			file := filepath.Join(t.Temp, "setuid")
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				return err
			}
			return unix.Chmod(file, 0o4755)
		},
		"change an owner":       func() error { return os.Chown(t.Secret, os.Getuid(), os.Getgid()) },
		"change a link's owner": func() error { return os.Lchown(t.Secret, os.Getuid(), os.Getgid()) },
		"set an attribute":      func() error { return unix.Setxattr(t.Secret, "user.x", []byte("1"), 0) },
		"remove an attribute": func() error {
			err := unix.Removexattr(t.Secret, "user.kept")
			if errors.Is(err, unix.ENODATA) {
				return nil
			}
			return err
		},
		"write a system file": func() error {
			f, err := os.OpenFile(t.System, os.O_RDWR, 0)
			if err == nil {
				_ = f.Close()
			}
			return err
		},
		"a handle of a file": func() error { _, _, err := unix.NameToHandleAt(unix.AT_FDCWD, t.Secret, 0); return err },

		"signal a process":   func() error { return syscall.Kill(t.Victim, syscall.SIGURG) },
		"signal the gateway": func() error { return syscall.Kill(t.Gateway, syscall.SIGURG) },
		"signal a thread":    func() error { return unix.Tgkill(t.Victim, t.Victim, syscall.SIGURG) },
		"signal by pidfd": func() error {
			fd, err := unix.PidfdOpen(t.Victim, 0)
			if err != nil {
				return err
			}
			return unix.PidfdSendSignal(fd, syscall.SIGURG, nil, 0)
		},
		"signal by owner of a file": func() error {
			r, w, err := os.Pipe()
			if err != nil {
				return err
			}
			defer func() { _, _ = r.Close(), w.Close() }()
			return owner(r, w, t.Victim)
		},
		"take a descriptor": func() error {
			fd, err := unix.PidfdOpen(t.Victim, 0)
			if err != nil {
				return err
			}
			return call(unix.SYS_PIDFD_GETFD, uintptr(fd), 0, 0)
		},
		"trace a process": func() error { return unix.PtraceSeize(t.Victim) },
		"read its memory": func() error {
			b := make([]byte, 1)
			_, err := unix.ProcessVMReadv(t.Victim, []unix.Iovec{{Base: &b[0], Len: 1}}, []unix.RemoteIovec{{Base: uintptr(unsafe.Pointer(&b[0])), Len: 1}}, 0)
			if errors.Is(err, unix.EFAULT) {
				return nil
			}
			return err
		},
		"read its environment":  func() error { return reading(proc + "environ") },
		"read its command line": func() error { return reading(proc + "cmdline") },
		"read its status":       func() error { return reading(proc + "status") },
		"open its memory": func() error {
			f, err := os.Open(proc + "mem")
			if err == nil {
				_ = f.Close()
			}
			return err
		},
		"list its descriptors": func() error { _, err := os.ReadDir(proc + "fd"); return err },
		"list the processes":   func() error { _, err := os.ReadDir("/proc"); return err },
		"compare processes":    func() error { return call(unix.SYS_KCMP, uintptr(os.Getpid()), uintptr(t.Victim), 1, 0, 0) },

		"TCP by IPv4":         func() error { return dialing("tcp4", t.TCP4) },
		"TCP by IPv6":         func() error { return dialing("tcp6", t.TCP6) },
		"TCP with early data": func() error { return fastOpen(t.TCP4) },
		"listen by TCP": func() error {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err == nil {
				_ = l.Close()
			}
			return err
		},
		"UDP":                     func() error { return dialing("udp4", t.UDP) },
		"UDP by IPv6":             func() error { return socket(unix.AF_INET6, unix.SOCK_DGRAM, 0) },
		"DNS":                     func() error { return dialing("udp", "127.0.0.53:53") },
		"ping":                    func() error { return socket(unix.AF_INET, unix.SOCK_DGRAM, unix.IPPROTO_ICMP) },
		"a raw socket":            func() error { return socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP) },
		"SCTP":                    func() error { return socket(unix.AF_INET, unix.SOCK_STREAM, 132) },
		"multipath TCP":           func() error { return socket(unix.AF_INET, unix.SOCK_STREAM, 262) },
		"packets":                 func() error { return socket(unix.AF_PACKET, unix.SOCK_RAW, 0) },
		"netlink":                 func() error { return socket(unix.AF_NETLINK, unix.SOCK_RAW, 0) },
		"virtual machines":        func() error { return socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0) },
		"a unix socket":           func() error { return dialing("unix", t.Unix) },
		"an abstract unix socket": func() error { return dialing("unix", t.Name) },
		"a pair to a unix socket": func() error { return pairTo(t.Dgram) },

		"a user namespace": func() error { return unix.Unshare(unix.CLONE_NEWUSER) },
		"mount":            func() error { return unix.Mount("none", t.Temp, "tmpfs", 0, "") },
		"chroot":           func() error { return unix.Chroot(t.Temp) },
		"bpf":              func() error { b := make([]byte, 128); return call(unix.SYS_BPF, 0, pointer(b), 128) },
		"perf": func() error {
			b := make([]byte, 128)
			b[4] = 128
			return call(unix.SYS_PERF_EVENT_OPEN, pointer(b), 0, ^uintptr(0), ^uintptr(0), 0)
		},
		"the kernel's log": func() error { _, err := unix.Klogctl(10, nil); return err },
		"the host's name":  func() error { b := []byte("x"); return call(unix.SYS_SETHOSTNAME, pointer(b), 1) },
		"the clock":        func() error { return unix.Settimeofday(&unix.Timeval{}) },
	}
}

// owner asks the kernel to send a signal to a process when a pipe is written to.
func owner(r, w *os.File, pid int) error {
	fd := int(r.Fd())
	for _, step := range [][2]int{{unix.F_SETOWN, pid}, {unix.F_SETSIG, int(syscall.SIGUSR1)}, {unix.F_SETFL, unix.O_ASYNC | unix.O_NONBLOCK}} {
		if _, err := unix.FcntlInt(uintptr(fd), step[0], step[1]); err != nil {
			return err
		}
	}
	_, _ = w.Write([]byte{1})
	return errors.New("no error, but the victim has to show the signal")
}

// fastOpen connects by sending data with TCP Fast Open.
func fastOpen(address string) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	_, port, _ := net.SplitHostPort(address)
	n, _ := strconv.Atoi(port)
	return unix.Sendto(fd, []byte("x"), unix.MSG_FASTOPEN, &unix.SockaddrInet4{Port: n, Addr: [4]byte{127, 0, 0, 1}})
}

// pairTo sends from a socket of a pair to a socket with a path.
func pairTo(path string) error {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	defer func() { _, _ = unix.Close(pair[0]), unix.Close(pair[1]) }()
	return unix.Sendto(pair[0], []byte("x"), 0, &unix.SockaddrUnix{Name: path})
}

func modeOfOpen(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	return errors.Join(f.Chmod(0o640), f.Close())
}

// modeFrom changes a mode by a path relative to an open folder, and relative to the working directory.
func modeFrom(folder, name string) error {
	fd, err := unix.Open(folder, unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return err
	}
	return errors.Join(unix.Fchmodat(fd, name, 0o640, 0), unix.Fchdir(fd), unix.Chmod(name, 0o644), unix.Close(fd))
}

// work does what a confined server must be able to do.
func work(text string) int {
	var t target
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		return 2
	}
	failed := func(what string, err error) {
		if err != nil {
			fmt.Println(what + ": " + err.Error())
		}
	}
	file := filepath.Join(t.Temp, "own")
	failed("write", os.WriteFile(file, []byte("x"), 0o600))
	failed("read", reading(file))
	failed("mode", os.Chmod(file, 0o644))
	failed("mode by descriptor", modeOfOpen(file))
	if err := unix.Chmod("", 0o700); !errors.Is(err, unix.ENOENT) {
		fmt.Println("the mode of an empty path:", err)
	}
	failed("mode by a relative path", modeFrom(t.Temp, "own"))
	failed("mode by a child", exec.Command("/bin/chmod", "600", file).Run())
	failed("install", exec.Command("/usr/bin/install", "-m", "700", file, file+"-installed").Run())
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		fmt.Println("the mode is", info, err)
	}
	for name, problem := range t.changing(file) {
		failed(name, problem)
	}
	failed("rename", os.Rename(file, file+"2"))
	failed("remove", os.Remove(file+"2"))
	failed("system file", reading(t.System))
	failed("own status", reading("/proc/self/status"))
	out, err := exec.Command("/bin/sh", "-c", "echo child").Output()
	failed("child", err)
	if strings.TrimSpace(string(out)) != "child" {
		fmt.Println("output of a child:", string(out))
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	failed("pair", err)
	if err == nil {
		failed("pair", errors.Join(unix.Close(pair[0]), unix.Close(pair[1])))
	}
	child := exec.Command("/bin/sleep", "100")
	failed("start", child.Start())
	failed("signal a child", child.Process.Signal(syscall.SIGTERM))
	_ = child.Wait()
	proxy := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(t.Port))
	failed("proxy", dialing("tcp4", proxy.String()))
	failed("proxy, blocking", connecting(proxy, nil))
	failed("proxy by mapped IPv4", connecting(netip.AddrPortFrom(netip.AddrFrom16(proxy.Addr().As16()), proxy.Port()), nil))
	failed("proxy from a child", inChild("reach", proxy.String()))
	failed("proxy from a shell", inShell(proxy))
	failed("proxy from a thread", onThread(func() error { return connecting(proxy, nil) }))
	return 0
}
