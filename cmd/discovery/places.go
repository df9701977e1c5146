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
	look     []folder // folders in which commands look
	register []folder // folders in which a gateway writes its entry
}

// In returns the places that consist of these folders.
func In(folders ...string) Places {
	var p Places
	for _, path := range folders {
		p.look = append(p.look, folder(path))
	}
	p.register = p.look
	return p
}

// RuntimePlaces returns the places of the user. A gateway has an entry in the run folder of the
// data folder, and in the first of these folders that exists: TOOLSCRIPT_RUNTIME_DIR, toolscript in
// XDG_RUNTIME_DIR, toolscript in /run/user/UID. Commands look only in TOOLSCRIPT_RUNTIME_DIR if it
// is set, else in all of them. TMPDIR is not used, because other users could create a folder there
// first. A runtime folder of another user, as after su, is ignored.
func RuntimePlaces(dataDir string, lookupEnv func(string) (string, bool)) (Places, error) {
	home := folder(filepath.Join(dataDir, "run"))
	if dir, _ := lookupEnv("TOOLSCRIPT_RUNTIME_DIR"); dir != "" {
		path, err := filepath.Abs(dir)
		return Places{look: []folder{folder(path)}, register: distinct(folder(path), home)}, err
	}
	var found []folder
	xdg, _ := lookupEnv("XDG_RUNTIME_DIR")
	for _, dir := range []string{xdg, userRuntimeDir()} {
		if filepath.IsAbs(dir) && files.CheckPrivateDir(dir) == nil {
			found = distinct(append(found, folder(filepath.Join(dir, "toolscript")))...)
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
func distinct(folders ...folder) []folder {
	var out []folder
	for _, f := range folders {
		if f = folder(filepath.Clean(string(f))); !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

// Folders returns the paths of the folders in which commands look. They may not exist.
func (p Places) Folders() []string {
	paths := make([]string, len(p.look))
	for i, f := range p.look {
		paths[i] = string(f)
	}
	return paths
}

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
	var usable []folder
	var failed error
	for _, f := range p.register {
		if err := files.PrivateDir(string(f)); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		usable, e.Folders = append(usable, f), append(e.Folders, string(f))
	}
	for _, f := range usable {
		if err := f.write(e); err != nil {
			failed = errors.Join(failed, err)
			e.Folders = slices.DeleteFunc(e.Folders, func(path string) bool { return path == string(f) })
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
	for _, f := range p.of(e) {
		failed = errors.Join(failed, f.write(e))
	}
	return failed
}

// Remove removes the files of an entry from all folders. Missing files are not an error.
func (p Places) Remove(e Entry) error {
	var failed error
	for _, f := range distinct(append(p.of(e), p.look...)...) {
		failed = errors.Join(failed, f.remove(e))
	}
	return failed
}

// of returns the folders that an entry names. Other folders may have copies, for example
// after the path of the home folder has changed.
func (p Places) of(e Entry) []folder {
	all := make([]folder, len(e.Folders))
	for i, path := range e.Folders {
		all[i] = folder(path)
	}
	return all
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
		if files, err := f.files(); err == nil { // Look has returned the error
			paths = append(paths, f.sweep(files)...)
		}
	}
	return running, ended, paths, err
}

// Look returns the entries of running gateways and of ended processes, without removing
// any. It returns an error only if there is no running gateway.
func (p Places) Look() (running, ended []Entry, err error) {
	for _, f := range p.look {
		files, failed := f.files()
		if failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		here, gone := f.entries(files)
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
