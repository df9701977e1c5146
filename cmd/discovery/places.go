package discovery

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/files"
)

// Places are the folders with the entries of gateways. A gateway has an entry in several of
// them, so that commands with fewer or more environment variables find it.
type Places struct {
	look     []string // folders in which commands look
	register []string // folders in which a gateway writes its entry
}

// In returns the places that consist of these folders.
func In(folders ...string) Places { return Places{folders, folders} }

// RuntimePlaces returns the places of the user. A gateway has an entry in the run folder of the
// data folder, and in the first of these folders that exists: TOOLSCRIPT_RUNTIME_DIR, toolscript in
// XDG_RUNTIME_DIR, toolscript in /run/user/UID. Commands look only in TOOLSCRIPT_RUNTIME_DIR if it
// is set, else in all of them. TMPDIR is not used, because other users could create a folder there
// first. A runtime folder of another user, as after su, is ignored.
func RuntimePlaces(dataDir string, lookupEnv func(string) (string, bool)) (Places, error) {
	home := filepath.Join(dataDir, "run")
	if dir, _ := lookupEnv("TOOLSCRIPT_RUNTIME_DIR"); dir != "" {
		path, err := filepath.Abs(dir)
		return Places{look: []string{path}, register: distinct(path, home)}, err
	}
	var found []string
	xdg, _ := lookupEnv("XDG_RUNTIME_DIR")
	for _, dir := range []string{xdg, userRuntimeDir()} {
		if filepath.IsAbs(dir) && files.CheckPrivateDir(dir) == nil {
			found = distinct(append(found, filepath.Join(dir, "toolscript"))...)
		}
	}
	return Places{look: distinct(append(slices.Clone(found), home)...), register: distinct(append(found[:min(len(found), 1)], home)...)}, nil
}

// usersDir contains the runtime folders of all users of a Linux system with systemd or elogind.
var usersDir = "/run/user"

// userRuntimeDir returns the folder that XDG_RUNTIME_DIR usually names for the user of this process, or "".
func userRuntimeDir() string {
	if runtime.GOOS != "linux" {
		return ""
	}
	return filepath.Join(usersDir, strconv.Itoa(os.Geteuid()))
}

// distinct returns the folders without repetitions.
func distinct(folders ...string) (out []string) {
	for _, f := range folders {
		if f = filepath.Clean(f); !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

// Folders returns the paths of the folders in which commands look. They may not exist.
func (p Places) Folders() []string { return p.look }

// Write writes the entry of this process, and returns it with the process, version,
// protocol, time and folders. A gateway that continues after an error should show it as a
// warning. The entry has no folders if no command can find the gateway.
func (p Places) Write(e Entry) (Entry, error) {
	start, err := startTime(os.Getpid())
	if err != nil {
		return e, hidden(err)
	}
	e.PID, e.StartTime = os.Getpid(), start
	e.Host, e.PIDNamespace = Scope()
	e.Version, e.Protocol = toolscript.Version, toolscript.Protocol
	if e.StartedAt.IsZero() {
		e.StartedAt = time.Now().UTC()
	}
	var failed error
	for _, f := range p.register {
		if err := files.PrivateDir(f); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		e.Folders = append(e.Folders, f)
	}
	for _, f := range slices.Clone(e.Folders) {
		if err := folder(f).write(e); err != nil {
			failed = errors.Join(failed, err)
			e.Folders = slices.DeleteFunc(e.Folders, func(path string) bool { return path == f })
		}
	}
	switch {
	case failed == nil:
		return e, nil
	case len(e.Folders) == 0:
		return e, hidden(failed)
	default:
		return e, fmt.Errorf("commands with other variables than this process may not find this gateway: %w", failed)
	}
}

func hidden(err error) error {
	return fmt.Errorf("other commands cannot find this gateway: %w; "+
		"name a folder of yours in TOOLSCRIPT_RUNTIME_DIR", err)
}

// Adopt assigns a gateway to another session of its client.
func (p Places) Adopt(e Entry, session string) error {
	e.Session = session
	var failed error
	for _, f := range e.Folders { // other folders may have copies, as after the path of the home folder has changed
		failed = errors.Join(failed, folder(f).write(e))
	}
	return failed
}

// Remove removes the files of an entry from all folders. Missing files are not an error.
func (p Places) Remove(e Entry) error {
	var failed error
	for _, f := range distinct(slices.Concat(e.Folders, p.look)...) {
		failed = errors.Join(failed, folder(f).remove(e))
	}
	return failed
}

// List returns the entries of running gateways, the newest first, and removes the entries
// of ended processes. An error means that a folder cannot be read and that the others have
// no gateway.
func (p Places) List() ([]Entry, error) {
	running, _, _, err := p.prune()
	return running, err
}

// Prune removes the entries of ended processes, and returns them. It also removes files
// that belong to no entry, and returns their paths.
func (p Places) Prune() (ended []Entry, paths []string, err error) {
	_, ended, paths, err = p.prune()
	return ended, paths, err
}

func (p Places) prune() (running, ended []Entry, paths []string, err error) {
	running, ended, err = p.Look()
	for _, e := range ended {
		_ = p.Remove(e) // after an error, the next List tries again
	}
	for _, f := range p.look {
		if files, err := folder(f).files(); err == nil { // Look has returned the error
			paths = append(paths, folder(f).sweep(files)...)
		}
	}
	return running, ended, paths, err
}

// Look returns the entries of running gateways and of ended processes, without removing
// any. It returns an error only if there is no running gateway.
func (p Places) Look() (running, ended []Entry, err error) {
	for _, f := range p.look {
		files, failed := folder(f).files()
		if failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		here, gone := folder(f).entries(files)
		running, ended = joined(running, here), joined(ended, gone)
	}
	sortNewestFirst(running)
	if len(running) > 0 {
		err = nil
	}
	return running, ended, err
}

// joined adds the entries that are not in the list yet: several folders have copies of an entry.
func joined(list, more []Entry) []Entry {
	for _, e := range more {
		same := func(other Entry) bool {
			return other.Process() == e.Process() && other.Host == e.Host && other.PIDNamespace == e.PIDNamespace
		}
		if !slices.ContainsFunc(list, same) {
			list = append(list, e)
		}
	}
	return list
}
