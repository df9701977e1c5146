package observed

import (
	"maps"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript/runner/confine"
	"github.com/toolscript/toolscript/runner/internal/notify"
)

// A systemCall is a watched system call. note adds a call to the record.
type systemCall struct {
	name string
	note func(*observer, *notify.Call) error
}

// calls returns the watched system calls by their numbers.
var calls = sync.OnceValue(func() map[uint32]systemCall {
	return with(noted(Call, confine.RefusedToServers()), noted(Attribute, confine.WithoutEffect()), legacy(), everywhere())
})

func everywhere() map[uint32]systemCall {
	return map[uint32]systemCall{
		unix.SYS_OPENAT:    {name: "openat", note: func(o *observer, c *notify.Call) error { return o.open(c, c.Int(0), c.Args[1], c.Args[2]) }},
		unix.SYS_OPENAT2:   {name: "openat2", note: (*observer).open2},
		unix.SYS_EXECVE:    {name: "execve", note: func(o *observer, c *notify.Call) error { return o.run(c, unix.AT_FDCWD, c.Args[0]) }},
		unix.SYS_EXECVEAT:  {name: "execveat", note: func(o *observer, c *notify.Call) error { return o.run(c, c.Int(0), c.Args[1]) }},
		unix.SYS_TRUNCATE:  {name: "truncate", note: truncate},
		unix.SYS_MKDIRAT:   {name: "mkdirat", note: create(argumentPlace{0, 1})},
		unix.SYS_MKNODAT:   {name: "mknodat", note: create(argumentPlace{0, 1})},
		unix.SYS_UNLINKAT:  {name: "unlinkat", note: remove(argumentPlace{0, 1})},
		unix.SYS_SYMLINKAT: {name: "symlinkat", note: create(argumentPlace{1, 2})},
		unix.SYS_LINKAT:    {name: "linkat", note: move(argumentPlace{0, 1}, argumentPlace{2, 3})},
		unix.SYS_RENAMEAT2: {name: "renameat2", note: move(argumentPlace{0, 1}, argumentPlace{2, 3})},

		unix.SYS_UTIMENSAT:         {name: "utimensat", note: times(argumentPlace{0, 1})},
		unix.SYS_INOTIFY_ADD_WATCH: {name: "inotify_add_watch", note: watch},

		unix.SYS_FCHMODAT: {name: "fchmodat", note: mode(argumentPlace{0, 1})},
		confine.Fchmodat2: {name: "fchmodat2", note: mode(argumentPlace{0, 1})},
		unix.SYS_FCHMOD:   {name: "fchmod", note: (*observer).fchmod},

		unix.SYS_SOCKET:  {name: "socket", note: (*observer).socket},
		unix.SYS_CONNECT: {name: "connect", note: (*observer).connect},
		unix.SYS_BIND:    {name: "bind", note: (*observer).bind},
		unix.SYS_SENDTO:  {name: "sendto", note: (*observer).sendto},
		unix.SYS_SENDMSG: {name: "sendmsg", note: (*observer).sendmsg},
		unix.SYS_KILL:    {name: "kill", note: (*observer).signal},
		unix.SYS_TGKILL:  {name: "tgkill", note: (*observer).signal},
	}
}

func with(all ...map[uint32]systemCall) map[uint32]systemCall {
	out := map[uint32]systemCall{}
	for _, m := range all {
		maps.Copy(out, m)
	}
	return out
}

// noted returns systemCalls that record their name as an Act of one kind.
func noted(kind string, names map[uint32]string) map[uint32]systemCall {
	out := map[uint32]systemCall{}
	for number, name := range names {
		out[number] = systemCall{name: name, note: func(o *observer, _ *notify.Call) error {
			o.record.Act(kind, name)
			return nil
		}}
	}
	return out
}

// An argumentPlace holds the indexes of the arguments that are the descriptor of a folder and a
// path. The folder -1 means the working directory.
type argumentPlace struct{ folder, path int }

func (p argumentPlace) read(c *notify.Call) (string, error) {
	folder := unix.AT_FDCWD
	if p.folder >= 0 {
		folder = c.Int(p.folder)
	}
	return c.Path(folder, c.Args[p.path])
}

// create records a new name. The call will fail if the name exists.
func create(p argumentPlace) func(*observer, *notify.Call) error {
	return func(o *observer, c *notify.Call) error {
		path, err := p.read(c)
		if err == nil && !there(path) {
			o.change(path, Change)
		}
		return err
	}
}

// remove records the removal of a name. The call will fail if the name does not exist.
func remove(p argumentPlace) func(*observer, *notify.Call) error {
	return func(o *observer, c *notify.Call) error {
		path, err := p.read(c)
		if err == nil && there(path) {
			o.change(path, Change)
		}
		return err
	}
}

// move records two names of one file. The call will fail if the first name does not exist.
func move(from, to argumentPlace) func(*observer, *notify.Call) error {
	return func(o *observer, c *notify.Call) error {
		first, err := from.read(c)
		if err != nil || !there(first) {
			return err
		}
		second, err := to.read(c)
		if err == nil {
			o.change(first, Change)
			o.change(second, Change)
		}
		return err
	}
}

// truncate records a change of the content of a file.
func truncate(o *observer, c *notify.Call) error {
	path, err := argumentPlace{-1, 0}.read(c)
	if err == nil && there(path) {
		o.change(path, Write)
	}
	return err
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// mode records a change of a mode, which is the argument after the path.
func mode(p argumentPlace) func(*observer, *notify.Call) error {
	return func(o *observer, c *notify.Call) error {
		path, err := p.read(c)
		if err == nil {
			o.mode(path, uint32(c.Args[p.path+1]))
		}
		return err
	}
}

// times records a change of the times of a file. The call may name the file only by its descriptor.
func times(p argumentPlace) func(*observer, *notify.Call) error {
	return func(o *observer, c *notify.Call) error {
		read := p.read
		if p.folder >= 0 && c.Args[p.path] == 0 {
			read = func(c *notify.Call) (string, error) { return c.Folder(c.Int(p.folder)) }
		}
		path, err := read(c)
		if err == nil {
			o.times(path)
		}
		return err
	}
}

// watch records a watch of a file or folder as a way to read it.
func watch(o *observer, c *notify.Call) error {
	path, err := argumentPlace{-1, 1}.read(c)
	if err == nil {
		o.watched(path)
	}
	return err
}
