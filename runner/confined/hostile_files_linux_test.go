package confined_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// onFiles returns attempts to change the times of files, and to watch folders.
func (t target) onFiles() map[string]func() error {
	link := filepath.Join(t.Temp, "link")
	_ = os.Symlink(t.Secret, link)
	folder := filepath.Join(t.Temp, "folder-link")
	_ = os.Symlink(filepath.Dir(t.Secret), folder)
	then := time.Unix(1, 0)
	return map[string]func() error{
		"change times":                  func() error { return os.Chtimes(t.Secret, then, then) },
		"change times to now":           func() error { return unix.UtimesNanoAt(unix.AT_FDCWD, t.Secret, nil, 0) },
		"change times of a system file": func() error { return os.Chtimes(t.System, then, then) },
		"change times through a link":   func() error { return os.Chtimes(link, then, then) },
		"change times through /proc":    func() error { return os.Chtimes("/proc/self/root"+t.Secret, then, then) },
		"change times through ..": func() error {
			return os.Chtimes(t.Temp+"/../"+filepath.Base(filepath.Dir(t.Secret))+"/"+filepath.Base(t.Secret), then, then)
		},
		"change times of an open file":      func() error { return timesOfOpen(t.System) },
		"change times of a place":           func() error { return timesOfPlace(t.Secret) },
		"change times from a folder":        func() error { return timesFrom("/", strings.TrimPrefix(t.Secret, "/")) },
		"change times of a folder":          func() error { return os.Chtimes(filepath.Dir(t.Secret), then, then) },
		"change times by an old call":       func() error { return unix.Utimes(t.Secret, []unix.Timeval{{Sec: 1}, {Sec: 1}}) },
		"change times by an older call":     func() error { return unix.Utime(t.Secret, &unix.Utimbuf{Actime: 1, Modtime: 1}) },
		"change times by an old call, at":   func() error { return unix.Futimesat(unix.AT_FDCWD, t.Secret, []unix.Timeval{{Sec: 1}, {Sec: 1}}) },
		"change times from a child":         func() error { return exec.Command("/usr/bin/touch", "-c", t.Secret).Run() },
		"watch a folder":                    func() error { return watching(filepath.Dir(t.Secret), unix.IN_ALL_EVENTS) },
		"watch a file":                      func() error { return watching(t.Secret, unix.IN_MODIFY) },
		"watch through a link":              func() error { return watching(folder, unix.IN_CREATE) },
		"watch through /proc":               func() error { return watching("/proc/self/root"+filepath.Dir(t.Secret), unix.IN_CREATE) },
		"watch through ..":                  func() error { return watching(t.Temp+"/..", unix.IN_CREATE) },
		"watch the root":                    func() error { return watching("/", unix.IN_CREATE|unix.IN_ONLYDIR) },
		"watch a link that leads to itself": func() error { return watching(filepath.Dir(t.Secret)+"/.", unix.IN_CREATE|unix.IN_DONT_FOLLOW) },
		"watch all":                         func() error { _, err := unix.FanotifyInit(0, 0); return err },
	}
}

func timesOfOpen(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return call(unix.SYS_UTIMENSAT, f.Fd(), 0, 0, 0)
}

// timesOfPlace opens a file with O_PATH, which Landlock always allows, and sets its times.
func timesOfPlace(path string) error {
	fd, err := unix.Open(path, unix.O_PATH, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	return unix.UtimesNanoAt(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", fd), nil, 0)
}

func timesFrom(folder, name string) error {
	fd, err := unix.Open(folder, unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	return unix.UtimesNanoAt(fd, name, []unix.Timespec{{Sec: 1}, {Sec: 1}}, 0)
}

func watching(path string, mask uint32) error {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	_, err = unix.InotifyAddWatch(fd, path, mask)
	return err
}

// changing does what a confined server may do, and returns the errors: it sets times of its own file,
// and watches its own folders.
func (t target) changing(file string) map[string]error {
	problems := map[string]error{
		"times by a child":         exec.Command("/usr/bin/touch", "-d", "2001-01-01", file).Run(),
		"times by descriptor":      timesOfOpen(file),
		"times from a folder":      timesFrom(t.Temp, "own"),
		"times of a link":          t.timesOfLink(),
		"copy with times":          exec.Command("/bin/cp", "-p", file, file+"-copy").Run(),
		"times of a missing file":  missing(os.Chtimes(file+"-missing", time.Now(), time.Now())),
		"old times":                t.setting(file, 1, func() error { return unix.Utimes(file, []unix.Timeval{{Sec: 1}, {Sec: 1}}) }),
		"older times":              t.setting(file, 2, func() error { return unix.Utime(file, &unix.Utimbuf{Actime: 2, Modtime: 2}) }),
		"old times, at":            t.setting(file, 3, func() error { return unix.Futimesat(unix.AT_FDCWD, file, []unix.Timeval{{Sec: 3}, {Sec: 3}}) }),
		"exact times":              t.setting(file, 4, func() error { return os.Chtimes(file, time.Unix(4, 5), time.Unix(4, 5)) }),
		"a wrong address of times": wrong(call(unix.SYS_UTIMENSAT, ^uintptr(99), uintptr(unsafe.Pointer(&[]byte(file + "\x00")[0])), 1, 0)),
		"priority":                 unix.Setpriority(unix.PRIO_PROCESS, 0, 19),
	}
	if nice, err := exec.LookPath("/usr/bin/nice"); err == nil { // some builds of busybox lack it
		problems["priority by nice"] = exec.Command(nice, "-n", "5", "/bin/true").Run()
	}
	if t.Watches {
		problems["watch"] = t.watchesOwn()
		problems["watch what it reads"] = watching(t.System, unix.IN_MODIFY)
		problems["watch a missing file"] = missing(watching(file+"-missing", unix.IN_MODIFY))
	}
	return problems
}

func missing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return fmt.Errorf("want that the file is missing, got %w", err)
}

func wrong(err error) error {
	if errors.Is(err, unix.EFAULT) {
		return nil
	}
	return fmt.Errorf("want that the address is wrong, got %w", err)
}

// setting checks that set changes the time of a file to seconds.
func (t target) setting(file string, seconds int64, set func() error) error {
	if err := set(); err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err == nil && info.ModTime().Unix() != seconds {
		err = fmt.Errorf("the time is %v", info.ModTime())
	}
	return err
}

func (t target) timesOfLink() error {
	link := filepath.Join(t.Temp, "own-link")
	if err := os.Symlink("/", link); err != nil {
		return err
	}
	if err := unix.UtimesNanoAt(unix.AT_FDCWD, link, []unix.Timespec{{Sec: 7}, {Sec: 7}}, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return err
	}
	info, err := os.Lstat(link)
	if err == nil && info.ModTime().Unix() != 7 {
		err = fmt.Errorf("the time of the link is %v", info.ModTime())
	}
	return errors.Join(err, os.Remove(link))
}

// watchesOwn checks that a watch of an own folder reports a file that is created there.
func (t target) watchesOwn() error {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	watch, err := unix.InotifyAddWatch(fd, t.Temp, unix.IN_CREATE|unix.IN_ONLYDIR)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(t.Temp, "seen"), nil, 0o600); err != nil {
		return err
	}
	events := make([]byte, 4096)
	n, err := unix.Read(fd, events)
	if err != nil {
		return err
	}
	if event := (*unix.InotifyEvent)(unsafe.Pointer(&events[0])); int(event.Wd) != watch || !strings.Contains(string(events[:n]), "seen") {
		return fmt.Errorf("the event is of watch %d, not %d: %q", event.Wd, watch, events[:n])
	}
	removed, err := unix.InotifyRmWatch(fd, uint32(watch))
	if removed != 0 && err == nil {
		err = fmt.Errorf("removing the watch returned %d", removed)
	}
	return err
}
