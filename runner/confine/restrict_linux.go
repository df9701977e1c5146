package confine

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The first versions of Landlock that restrict the commented objects, and sets of access rights.
const (
	netABI   = 4 // TCP ports
	ioctlABI = 5 // ioctl on devices

	read     = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	ofAFile  = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	netRules = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	scopes   = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
)

// netPort is a rule for a port, and ruleNetPort its type. Package unix does not define them.
type netPort struct{ allowed, port uint64 }

const ruleNetPort = 2

// RestrictThread removes all rights from this thread that the kernel's Landlock can restrict
// and a does not grant. The caller must have locked the goroutine to the thread and set
// PR_SET_NO_NEW_PRIVS, and must use the thread only to start or become the program.
func RestrictThread(a LandlockAccess) error {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno == unix.ENOSYS || errno == unix.EOPNOTSUPP {
		return ErrNoLandlock
	}
	if errno != 0 {
		return fmt.Errorf("ask for the version: %w", errno)
	}
	handled := handledBy(int(version))
	if a.Network {
		handled.Handled_access_net = 0
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&handled)), unsafe.Sizeof(handled), 0) //nolint:gosec // the kernel reads the struct
	if errno != 0 {
		return fmt.Errorf("make the rules: %w", errno)
	}
	defer unix.Close(int(fd)) //nolint:errcheck // nothing was written
	if err := a.allow(int(fd), handled); err != nil {
		return err
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return fmt.Errorf("put the rules in force: %w", errno)
	}
	return nil
}

// handledBy returns the rights that a version of Landlock can restrict.
func handledBy(version int) unix.LandlockRulesetAttr {
	handled := unix.LandlockRulesetAttr{Handled_access_fs: unix.LANDLOCK_ACCESS_FS_MAKE_SYM<<1 - 1}
	for added, bit := range map[int]uint64{2: unix.LANDLOCK_ACCESS_FS_REFER, 3: unix.LANDLOCK_ACCESS_FS_TRUNCATE, ioctlABI: unix.LANDLOCK_ACCESS_FS_IOCTL_DEV} {
		if version >= added {
			handled.Handled_access_fs |= bit
		}
	}
	if version >= netABI {
		handled.Handled_access_net = netRules
	}
	if version >= scopeABI {
		handled.Scoped = scopes
	}
	return handled
}

// allow adds the rules of a.
func (a LandlockAccess) allow(ruleset int, handled unix.LandlockRulesetAttr) error {
	for _, path := range a.Read {
		if err := allowPath(ruleset, path, read&handled.Handled_access_fs); err != nil {
			return err
		}
	}
	for _, path := range a.Write {
		if err := allowPath(ruleset, path, handled.Handled_access_fs); err != nil {
			return err
		}
	}
	if handled.Handled_access_net == 0 {
		return nil
	}
	for _, port := range a.Connect {
		rule := netPort{unix.LANDLOCK_ACCESS_NET_CONNECT_TCP, uint64(port)}
		if err := addRule(ruleset, ruleNetPort, unsafe.Pointer(&rule)); err != nil { //nolint:gosec // the kernel reads the struct
			return fmt.Errorf("allow port %d: %w", port, err)
		}
	}
	return nil
}

// allowPath allows rights below path. A rule for a file may only contain rights that apply to
// files.
func allowPath(ruleset int, path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("allow %s: %w", path, err)
	}
	defer unix.Close(fd) //nolint:errcheck // nothing was written
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return fmt.Errorf("allow %s: %w", path, err)
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= ofAFile
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	if err := addRule(ruleset, unix.LANDLOCK_RULE_PATH_BENEATH, unsafe.Pointer(&rule)); err != nil { //nolint:gosec // the kernel reads the struct
		return fmt.Errorf("allow %s: %w", path, err)
	}
	return nil
}

func addRule(ruleset int, kind uintptr, rule unsafe.Pointer) error {
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), kind, uintptr(rule), 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}
