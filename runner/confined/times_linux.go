package confined

import (
	"encoding/binary"
	"os"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript/runner/internal/notify"
)

// changeTimes changes the times of a file below a folder that the server may write to.
// Otherwise it follows the rules of the kernel for a process without capabilities.
func (g *Gate) changeTimes(c *notify.Call) notify.Answer {
	file, times, err := timesOf(c)
	if err != nil {
		return result(err)
	}
	defer unix.Close(file) //nolint:errcheck // nothing was written
	own, stat, err := located(file, g.write)
	switch {
	case err != nil:
		return result(err)
	case os.Geteuid() == 0 && stat.Uid != 0: // root may do it, the server may not
		return notify.Fail(unix.EPERM)
	}
	return result(unix.UtimesNanoAt(unix.AT_FDCWD, own, times, 0))
}

// timesOf opens the file of a call that changes times, and returns it with the times.
func timesOf(c *notify.Call) (file int, times []unix.Timespec, err error) {
	dir, at, address, flags := unix.AT_FDCWD, c.Args[0], c.Args[1], 0 // utime and utimes
	parse, size := ofSeconds, 16
	switch changesOfTimes[c.Number] {
	case "utimensat":
		dir, at, address, flags = c.Int(0), c.Args[1], c.Args[2], c.Int(3)
		parse, size = ofTimespecs, 32
	case "futimesat":
		dir, at, address = c.Int(0), c.Args[1], c.Args[2]
		parse, size = ofTimevals, 32
	case "utimes":
		parse, size = ofTimevals, 32
	}
	if flags&^(unix.AT_SYMLINK_NOFOLLOW|unix.AT_EMPTY_PATH) != 0 {
		return -1, nil, unix.EINVAL
	}
	times = []unix.Timespec{{Nsec: unix.UTIME_NOW}, {Nsec: unix.UTIME_NOW}}
	if address != 0 {
		text, err := c.Bytes(address, size)
		if err != nil {
			return -1, nil, err
		}
		if times, err = parse(text); err != nil {
			return -1, nil, err
		}
	}
	if at == 0 && dir != unix.AT_FDCWD {
		file, err = take(c, dir)
	} else {
		file, err = open(c, dir, at, flags)
	}
	return file, times, err
}

func number(text []byte, i int) int64 { return int64(binary.NativeEndian.Uint64(text[8*i:])) }

// ofSeconds parses a struct utimbuf.
func ofSeconds(text []byte) ([]unix.Timespec, error) {
	return []unix.Timespec{{Sec: number(text, 0)}, {Sec: number(text, 1)}}, nil
}

// ofTimevals parses two structs timeval.
func ofTimevals(text []byte) (times []unix.Timespec, err error) {
	for i := range 2 {
		micro := number(text, 2*i+1)
		if micro < 0 || micro >= 1_000_000 {
			return nil, unix.EINVAL
		}
		times = append(times, unix.Timespec{Sec: number(text, 2*i), Nsec: micro * 1000})
	}
	return times, nil
}

// ofTimespecs parses two structs timespec. The kernel checks the nanoseconds.
func ofTimespecs(text []byte) ([]unix.Timespec, error) {
	return []unix.Timespec{{Sec: number(text, 0), Nsec: number(text, 1)}, {Sec: number(text, 2), Nsec: number(text, 3)}}, nil
}
