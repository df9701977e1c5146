package confined_test

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

var errOnlyProxy = errors.New("only the proxy was reached")

// pastTheProxy returns attempts to reach another host that listens at the port of the proxy.
func (t target) pastTheProxy() map[string]func() error {
	other4, other6 := netip.MustParseAddrPort(t.Other4), netip.MustParseAddrPort(t.Other6)
	mapped := netip.AddrPortFrom(netip.AddrFrom16(other4.Addr().As16()), other4.Port())
	return map[string]func() error{
		"another host":                   func() error { return dialing("tcp4", t.Other4) },
		"another host by IPv6":           func() error { return dialing("tcp6", t.Other6) },
		"another host by mapped IPv4":    func() error { return connecting(mapped, nil) },
		"another host, blocking":         func() error { return connecting(other4, nil) },
		"another host, blocking by IPv6": func() error { return connecting(other6, nil) },
		"another host from a child":      func() error { return inChild("reach", t.Other4) },
		"another host from a shell":      func() error { return inShell(other4) },
		"another host from a thread":     func() error { return onThread(func() error { return connecting(other4, nil) }) },
		"another host, not dumpable":     func() error { return inChild("hide", t.Other4) },
		"another host, own filter":       func() error { return inChild("filter", t.Other4) },
		"another host by a new address":  func() error { return t.race(other4) },
		"another host after the proxy":   func() error { return t.reconnect(other4) },
		"another host, data first": func() error {
			return connecting(other4, func(fd int) error { return unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_FASTOPEN_CONNECT, 1) })
		},
		"a source route": func() error {
			return onSocket(func(fd int) error {
				return unix.SetsockoptString(fd, unix.IPPROTO_IP, unix.IP_OPTIONS, "\x01\x83\x07\x04\x7f\x00\x00\x02")
			})
		},
		"another device": func() error {
			return onSocket(func(fd int) error { return unix.BindToDevice(fd, "lo") })
		},
		"another device by number": func() error {
			return onSocket(func(fd int) error { return unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_BINDTOIFINDEX, 1) })
		},
		"listen without an address": func() error { return onSocket(func(fd int) error { return unix.Listen(fd, 1) }) },
	}
}

func onSocket(f func(fd int) error) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	return f(fd)
}

func sockaddr(to netip.AddrPort) unix.Sockaddr {
	if to.Addr().Is4() {
		return &unix.SockaddrInet4{Addr: to.Addr().As4(), Port: int(to.Port())}
	}
	return &unix.SockaddrInet6{Addr: to.Addr().As16(), Port: int(to.Port())}
}

// connecting connects a blocking socket after prepare has changed it.
func connecting(to netip.AddrPort, prepare func(fd int) error) error {
	family := unix.AF_INET6
	if to.Addr().Is4() {
		family = unix.AF_INET
	}
	fd, err := unix.Socket(family, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	if prepare != nil {
		if err := prepare(fd); err != nil {
			return err
		}
	}
	if err := unix.Connect(fd, sockaddr(to)); err != nil {
		return err
	}
	_, err = unix.Write(fd, []byte("x"))
	return err
}

func inChild(role, address string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	out, err := exec.Command(self, role, address).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// inShell makes bash connect, as a child of a child.
func inShell(to netip.AddrPort) error {
	return exec.Command("/bin/bash", "-c", fmt.Sprintf("(exec 3<>/dev/tcp/%s/%d)", to.Addr(), to.Port())).Run()
}

func onThread(f func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // a new thread, because the caller has locked its own
		done <- f()
	}()
	return <-done
}

// race changes an address while connect reads it: another thread writes the addresses of the proxy and
// of another host in turn.
func (t target) race(other netip.AddrPort) error {
	address := unix.RawSockaddrInet4{Family: unix.AF_INET, Port: uint16(t.Port>>8) | uint16(t.Port)<<8, Addr: [4]byte{127, 0, 0, 1}}
	last := (*uint32)(unsafe.Pointer(&address.Addr))
	proxy := *last
	elsewhere := other.Addr().As4()
	another := *(*uint32)(unsafe.Pointer(&elsewhere))
	var stop atomic.Bool
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for i := 0; !stop.Load(); i++ {
			atomic.StoreUint32(last, []uint32{proxy, another}[i%2])
		}
	}()
	defer func() {
		stop.Store(true)
		<-ended
	}()
	err := errOnlyProxy
	for range 500 {
		once := onSocket(func(fd int) error {
			if err := call(unix.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(&address)), unsafe.Sizeof(address)); err != nil {
				return err
			}
			peer, err := unix.Getpeername(fd)
			if err != nil {
				return err
			}
			if p, ok := peer.(*unix.SockaddrInet4); ok && p.Addr == elsewhere {
				return nil
			}
			return errOnlyProxy
		})
		if once == nil {
			return nil
		}
		if !errors.Is(once, errOnlyProxy) {
			err = once
		}
	}
	return err
}

// reconnect connects to the proxy, disconnects, and connects the same socket to another host.
func (t target) reconnect(other netip.AddrPort) error {
	return onSocket(func(fd int) error {
		if err := unix.Connect(fd, sockaddr(netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(t.Port)))); err != nil {
			return err
		}
		none := unix.RawSockaddr{Family: unix.AF_UNSPEC}
		_ = call(unix.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(&none)), unsafe.Sizeof(none))
		return unix.Connect(fd, sockaddr(other))
	})
}

// reach runs in a child process, connects to an address, and returns the exit code.
func reach(role, address string) int {
	runtime.LockOSThread()
	var err error
	switch role {
	case "hide":
		err = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	case "filter":
		err = allowAll()
	}
	to, parsed := netip.ParseAddrPort(address)
	if err = errors.Join(err, parsed); err == nil {
		err = connecting(to, nil)
	}
	if err != nil {
		fmt.Println(strings.TrimSpace(err.Error()))
		return 1
	}
	return 0
}

// allowAll installs a filter that allows every system call.
func allowAll() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	filter := []unix.SockFilter{{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW}}
	prog := unix.SockFprog{Len: 1, Filter: &filter[0]}
	return call(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
}

// twoHosts listens at one port of several addresses: the first is the proxy, the others are other hosts.
func twoHosts() (listeners [3]net.Listener, err error) {
	for range 20 {
		if listeners[0], err = net.Listen("tcp4", "127.0.0.1:0"); err != nil {
			return listeners, err
		}
		port := listeners[0].Addr().(*net.TCPAddr).Port
		if listeners[1], err = net.Listen("tcp4", fmt.Sprintf("127.0.0.2:%d", port)); err != nil {
			_ = listeners[0].Close()
			continue
		}
		if listeners[2], err = net.Listen("tcp6", fmt.Sprintf("[::1]:%d", port)); err == nil {
			return listeners, nil
		}
		_, _ = listeners[0].Close(), listeners[1].Close()
	}
	return listeners, err
}
