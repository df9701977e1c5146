package observed

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript/runner/internal/notify"
)

// observer records calls and lets all of them continue.
type observer struct{ record *Record }

// Handler returns a handler that records calls in r and lets all of them continue.
func Handler(r *Record) func(*notify.Call) notify.Answer { return (&observer{r}).handle }

func (o *observer) handle(c *notify.Call) notify.Answer {
	if err := calls()[c.Number].note(o, c); err != nil && !errors.Is(err, notify.ErrGone) && !errors.Is(err, unix.EFAULT) && !errors.Is(err, unix.EBADF) && !errors.Is(err, unix.ENOENT) {
		o.record.missed() // calls with an invalid pointer, descriptor or path fail anyway
	}
	return notify.Continue()
}

// permitted reports whether this process may read or write a file.
func permitted(path string, reads, writes bool) bool {
	return (!reads || unix.Access(path, unix.R_OK) == nil) && (!writes || unix.Access(path, unix.W_OK) == nil)
}

// open records the use of a file that a call opens, unless the call will fail.
func (o *observer) open(c *notify.Call, folder int, at, flags uint64) error {
	path, err := c.Path(folder, at)
	if err != nil || flags&unix.O_PATH != 0 { // a descriptor with O_PATH reads and writes nothing
		return err
	}
	resolved, err := filepath.EvalSymlinks(path)
	if own(path) || own(resolved) { // such as /proc/mounts
		return nil
	}
	switch {
	case errors.Is(err, os.ErrNotExist) && flags&unix.O_CREAT != 0:
		o.change(path, Change)
		return nil
	case err != nil:
		return nil //nolint:nilerr // the call fails in the server, too
	}
	info, err := os.Stat(resolved)
	if err != nil {
		return nil //nolint:nilerr // the file has just been removed
	}
	reads, writes := flags&unix.O_ACCMODE != unix.O_WRONLY, flags&unix.O_ACCMODE != unix.O_RDONLY || flags&unix.O_TRUNC != 0
	if !permitted(resolved, reads, writes) {
		return nil
	}
	switch {
	case flags&unix.O_TMPFILE == unix.O_TMPFILE:
		o.record.File(resolved+"/unnamed", false, Change)
	case info.IsDir():
		o.record.File(resolved, true, List)
	case writes:
		use := Write
		if flags&unix.O_CREAT != 0 && info.Mode().IsRegular() {
			use = Change // the server would create the file if it did not exist
		}
		o.record.File(resolved, false, use)
		if reads {
			o.record.File(resolved, false, Read)
		}
	default:
		o.record.File(resolved, false, Read)
	}
	return nil
}

// open2 reads the flags of struct open_how.
func (o *observer) open2(c *notify.Call) error {
	how, err := c.Bytes(c.Args[2], 8)
	if err != nil {
		return err
	}
	return o.open(c, c.Int(0), c.Args[1], binary.NativeEndian.Uint64(how))
}

func (o *observer) run(c *notify.Call, folder int, at uint64) error {
	path, err := c.Path(folder, at)
	if err != nil {
		return err
	}
	if resolved, err := filepath.EvalSymlinks(path); err == nil && unix.Access(resolved, unix.X_OK) == nil {
		o.record.File(resolved, false, Run)
	}
	return nil
}

// change records a change of a name. It does not follow a link with this name, except for Write.
func (o *observer) change(path string, u Use) {
	folder, err := filepath.EvalSymlinks(filepath.Dir(strings.TrimSuffix(path, "/")))
	if err != nil || own(path) {
		return // the call will fail
	}
	resolved := filepath.Join(folder, filepath.Base(path))
	info, err := os.Lstat(resolved)
	if err == nil && info.Mode().Type() == os.ModeSymlink && u == Write {
		if resolved, err = filepath.EvalSymlinks(resolved); err != nil {
			return
		}
	}
	o.record.File(resolved, err == nil && info.IsDir(), u)
}

func (o *observer) mode(path string, mode uint32) {
	if resolved, err := filepath.EvalSymlinks(path); err == nil && !own(path) {
		o.record.Act(Mode, resolved)
		if mode&(unix.S_ISUID|unix.S_ISGID) != 0 {
			o.record.Act(SetID, resolved)
		}
	}
}

func (o *observer) times(path string) {
	if resolved, err := filepath.EvalSymlinks(path); err == nil && !own(path) {
		o.record.Act(Times, resolved)
	}
}

func (o *observer) watched(path string) {
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil || own(path) || own(resolved) || !permitted(resolved, true, false) {
		return // the call will fail, or the file is in a process's folder of /proc
	}
	use := Read
	info, err := os.Stat(resolved)
	if err == nil && info.IsDir() {
		use = List
	}
	o.record.File(resolved, use == List, use)
}

func (o *observer) fchmod(c *notify.Call) error {
	path, err := c.Folder(c.Int(0))
	if err == nil && filepath.IsAbs(path) {
		o.mode(path, uint32(c.Args[1]))
	}
	return err
}

// own reports whether a path is in the folder of a process in /proc. Servers need only their own
// folder, and the helper of confined servers allows that.
func own(path string) bool {
	rest, ok := strings.CutPrefix(path, "/proc/")
	if !ok {
		return false
	}
	number, _, _ := strings.Cut(rest, "/")
	_, err := strconv.Atoi(number)
	return err == nil
}

// families maps address families to names.
var families = map[int]string{unix.AF_NETLINK: "netlink", unix.AF_PACKET: "packet", unix.AF_VSOCK: "vsock", unix.AF_ALG: "alg", unix.AF_BLUETOOTH: "bluetooth"}

// socket records sockets that confined servers may not create. TCP and unix sockets are
// recorded when they are used.
func (o *observer) socket(c *notify.Call) error {
	family, kind := c.Int(0), c.Int(1)&0xf
	switch {
	case family == unix.AF_UNIX, kind == unix.SOCK_STREAM && (family == unix.AF_INET || family == unix.AF_INET6):
	case family == unix.AF_INET, family == unix.AF_INET6:
		if kind == unix.SOCK_DGRAM {
			o.record.Act(Datagram, "")
		} else {
			o.record.Act(Socket, "raw")
		}
	default:
		name := families[family]
		if name == "" {
			name = "family " + strconv.Itoa(family)
		}
		o.record.Act(Socket, name)
	}
	return nil
}

func (o *observer) connect(c *notify.Call) error {
	a, err := c.Address(c.Args[1], c.Int(2))
	if err != nil {
		return err
	}
	switch a.Family {
	case unix.AF_UNIX:
		o.unix(Unix, a.Path)
	case unix.AF_INET, unix.AF_INET6:
		kind, err := c.SocketKind(c.Int(0))
		if err != nil {
			return err
		}
		switch {
		case kind != unix.SOCK_STREAM:
			o.record.Act(Datagram, a.IP.String())
		case !o.record.isProxy(a.IP):
			o.record.Act(Connect, a.IP.String())
		}
	}
	return nil
}

// isProxy reports whether an address is the proxy of one of the processes.
func (r *Record) isProxy(address netip.AddrPort) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, b := range r.bases {
		if address == netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), b.Port) {
			return true
		}
	}
	return false
}

// unix records a unix socket. A connection to a path that does not exist will fail.
func (o *observer) unix(kind, path string) {
	if strings.HasPrefix(path, "/") {
		resolved, err := filepath.EvalSymlinks(path)
		if err != nil {
			if kind == Unix {
				return
			}
			resolved = path
		}
		path = resolved
	}
	if path != "" {
		o.record.Act(kind, path)
	}
}

func (o *observer) bind(c *notify.Call) error {
	a, err := c.Address(c.Args[1], c.Int(2))
	if err != nil {
		return err
	}
	switch a.Family {
	case unix.AF_UNIX:
		o.unix(Listen, a.Path)
	case unix.AF_INET, unix.AF_INET6:
		kind, err := c.SocketKind(c.Int(0))
		if err == nil && kind == unix.SOCK_STREAM {
			o.record.Act(Listen, fmt.Sprintf("TCP port %d", a.IP.Port()))
		}
		return err
	}
	return nil
}

func (o *observer) sendto(c *notify.Call) error { return o.send(c, c.Args[4], c.Int(5)) }

// sendmsg reads the address in struct msghdr.
func (o *observer) sendmsg(c *notify.Call) error {
	header, err := c.Bytes(c.Args[1], 12)
	if err != nil {
		return err
	}
	return o.send(c, binary.NativeEndian.Uint64(header), int(binary.NativeEndian.Uint32(header[8:])))
}

// send records an address to which data is sent without a connection.
func (o *observer) send(c *notify.Call, at uint64, size int) error {
	if at == 0 {
		return nil
	}
	a, err := c.Address(at, size)
	if err != nil {
		return err
	}
	switch a.Family {
	case unix.AF_UNIX:
		o.unix(Unix, a.Path)
	case unix.AF_INET, unix.AF_INET6:
		o.record.Act(Datagram, a.IP.String())
	}
	return nil
}

// signal records signals to processes that are not descendants of this process, the gateway.
func (o *observer) signal(c *notify.Call) error {
	pid := c.Int(0)
	if pid <= 0 || descends(pid) {
		return nil // a process group probably belongs to the server
	}
	if name, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm"); err == nil {
		o.record.Act(Signal, strings.TrimSpace(string(name)))
	}
	return nil
}

// descends reports whether a process is a descendant of this process.
func descends(pid int) bool {
	for range 64 {
		status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil {
			return false
		}
		fields := strings.Fields(string(status[strings.LastIndexByte(string(status), ')')+1:]))
		if len(fields) < 2 {
			return false
		}
		if pid, err = strconv.Atoi(fields[1]); err != nil || pid <= 1 {
			return false
		}
		if pid == os.Getpid() {
			return true
		}
	}
	return false
}
