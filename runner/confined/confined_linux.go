package confined

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/runner/confine"
	"github.com/toolscript/toolscript/runner/observed"
)

// become makes this process the server. It returns only on an error.
func (s Spec) become() error {
	runtime.LockOSThread() // restrictions belong to the thread, and execve keeps them
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("PR_SET_NO_NEW_PRIVS: %w", err)
	}
	env := os.Environ()
	if !s.Free {
		if err := s.restrict(); err != nil {
			return err
		}
	}
	if s.Watched {
		if err := observed.Hand(watchSocket); err != nil {
			return fmt.Errorf("watch it: %w", err)
		}
	}
	return syscall.Exec(s.Path, s.Args, env) //nolint:gosec // the program of the user's configuration
}

// watchSocket is the first inherited descriptor after the standard ones.
const watchSocket = 3

// restrict restricts the calling thread to what the server may do.
func (s Spec) restrict() error {
	if err := dropCapabilities(); err != nil {
		return fmt.Errorf("drop capabilities: %w", err)
	}
	if s.Gate && !s.Watched { // otherwise observed.Hand reports the calls of the gate too
		if err := s.guard(); err != nil {
			return err
		}
	}
	if confine.Kernel().Active {
		read, write, err := s.paths()
		if err != nil {
			return err
		}
		access := confine.LandlockAccess{Read: append(read, "/proc/"+strconv.Itoa(os.Getpid())), Write: write}
		if s.Port != 0 {
			access.Connect = []uint16{s.Port}
		}
		if err := confine.RestrictThread(access); err != nil {
			return fmt.Errorf("landlock: %w", err)
		}
	}
	_, err := confine.Program(s.rules())
	return err
}

// rules returns what the server may do beyond what all restricted programs may. Without a Gate, it
// may not watch folders: nothing could limit which ones.
func (s Spec) rules() (r confine.Rules) {
	if s.Port != 0 {
		r.Sockets = confine.ProxyOnly
	}
	if s.Modes {
		r.Allowed |= confine.Properties
	}
	if s.Gate {
		r.Allowed |= confine.Watching
	}
	return r
}

// held keeps the files of paths open until this process becomes the server.
var held []files.Held

// paths opens Read and Write and returns paths that refer to the same files even if something is renamed.
func (s Spec) paths() (read, write []string, err error) {
	for _, list := range []struct {
		of   []string
		into *[]string
	}{{s.Read, &read}, {s.Write, &write}} {
		for _, path := range list.of {
			h, err := s.Project.Hold(path)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				continue // Landlock has no rules for missing files
			case err != nil:
				return nil, nil, err
			}
			held, *list.into = append(held, h), append(*list.into, h.Path())
		}
	}
	return read, write, nil
}

// Wrap returns the arguments that start the server through the helper. self is the path of
// this program.
func (s Spec) Wrap(self string) ([]string, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return []string{self, Command, string(text)}, nil
}

// dropCapabilities removes all capabilities from the calling thread. Because of no_new_privs,
// root does not regain them when it executes the server.
func dropCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return unix.Capset(&header, &none[0])
}

// network reports the restrictions of the network. calls are the restrictions of system calls.
func network(net []string, calls toolscript.Confinement) toolscript.Confinement {
	part := toolscript.Confinement{Name: networkName, Detail: reached(net)}
	switch missing := GateMissing(); {
	case !calls.Active:
		part.Detail = calls.Detail
	case len(net) == 0 || missing == "":
		part.Active = true
	case confine.RestrictsPorts():
		part.Detail += ", but " + openPort + ": " + missing
	default:
		part.Detail += ", but a program that ignores the proxy reaches all hosts: " + missing
	}
	return part
}

// Parts reports which restrictions are active on this machine for a server that reaches the hosts of net.
func Parts(net []string) []toolscript.Confinement {
	files := confine.Kernel()
	files.Name = filesName
	calls := toolscript.Confinement{Name: callsName, Active: confine.FiltersPrograms(), Detail: "a filter of system calls"}
	if !calls.Active {
		calls.Detail = "this kernel filters no system calls, or there is no filter for " + runtime.GOARCH
	}
	if missing := GateMissing(); calls.Active && missing != "" {
		calls.Detail += "; changes of modes and times are not bound to the folders in \"write\", and no folders can be watched: " + missing
	}
	return []toolscript.Confinement{files, calls, network(net, calls)}
}
