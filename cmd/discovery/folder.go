// Package discovery stores the entries of running gateways, so that other commands find
// them. An entry has the capability of its gateway: only the user can read it, and it is
// never printed as a whole.
package discovery

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/config/private"
	"github.com/toolscript/toolscript/sharedfile"
)

// Folder is the path of the runtime folder. Write creates it.
type Folder string

// RuntimeFolder is the user's runtime folder: TOOLSCRIPT_RUNTIME_DIR, else toolscript in
// XDG_RUNTIME_DIR, else run in the data folder. It is never in TMPDIR, where other users
// could create it first. An XDG_RUNTIME_DIR of another user, as after su, is ignored.
func RuntimeFolder(dataDir string, lookupEnv func(string) (string, bool)) (Folder, error) {
	if dir, _ := lookupEnv("TOOLSCRIPT_RUNTIME_DIR"); dir != "" {
		path, err := filepath.Abs(dir)
		return Folder(path), err
	}
	if dir, _ := lookupEnv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) && private.Check(dir) == nil {
		return Folder(filepath.Join(dir, "toolscript")), nil
	}
	return Folder(filepath.Join(dataDir, "run")), nil
}

// Write writes the entry of this process and returns it with the process, version,
// protocol and time. A gateway that continues after an error should show it as a warning.
func (f Folder) Write(e Entry) (Entry, error) {
	e.PID = os.Getpid()
	start, err := startTime(e.PID)
	if err != nil {
		return e, f.cannotWrite(err)
	}
	here := thisPlace()
	e.StartTime, e.Host, e.PIDNamespace = start, here.host, here.pidNamespace
	e.Version, e.Protocol = toolscript.Version, toolscript.Protocol
	if e.StartedAt.IsZero() {
		e.StartedAt = time.Now().UTC()
	}
	text, err := json.Marshal(e)
	if err != nil {
		return e, f.cannotWrite(err)
	}
	if err := private.Dir(string(f)); err != nil {
		return e, f.cannotWrite(err)
	}
	if err := sharedfile.Write(f.path(e), text); err != nil {
		return e, f.cannotWrite(err)
	}
	if err := sharedfile.Write(f.pidPath(e), []byte(strconv.Itoa(e.PID)+"\n")); err != nil {
		return e, f.cannotWrite(errors.Join(err, f.Remove(e)))
	}
	return e, nil
}

// Adopt makes a gateway that of another session of its client.
func (f Folder) Adopt(e Entry, session string) error {
	e.Session = session
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return sharedfile.Write(f.path(e), text)
}

func (f Folder) cannotWrite(err error) error {
	return fmt.Errorf("other commands cannot find this gateway: %w; "+
		"name a folder of yours in TOOLSCRIPT_RUNTIME_DIR", err)
}

// Remove removes the files of an entry. Missing files are not an error.
func (f Folder) Remove(e Entry) error {
	var failed error
	for _, path := range []string{f.path(e), f.pidPath(e)} {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// List returns the entries of running gateways, the newest first, and removes the
// entries of processes that have ended. A missing folder is empty. A folder that other
// users can write to is an error, because an entry decides where tool calls are sent.
func (f Folder) List() ([]Entry, error) {
	files, err := f.files()
	if err != nil {
		return nil, err
	}
	running, ended := f.entries(files)
	f.removeAll(ended)
	f.sweep(files)
	return running, nil
}

// Prune removes the entries of processes that have ended, and returns them. It also removes
// the files that no entry names, and returns their paths.
func (f Folder) Prune() (ended []Entry, paths []string, err error) {
	files, err := f.files()
	if err != nil {
		return nil, nil, err
	}
	_, ended = f.entries(files)
	f.removeAll(ended)
	return ended, f.sweep(files), nil
}

// Look returns the entries of running gateways and of processes that have ended, and
// removes nothing.
func (f Folder) Look() (running, ended []Entry, err error) {
	files, err := f.files()
	if err != nil {
		return nil, nil, err
	}
	running, ended = f.entries(files)
	return running, ended, nil
}

// files are the files of the folder, sorted by name.
func (f Folder) files() ([]fs.DirEntry, error) {
	if err := private.Check(string(f)); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, fmt.Errorf("runtime folder: %w", err)
	}
	files, err := os.ReadDir(string(f))
	if err != nil {
		return nil, fmt.Errorf("runtime folder: %w", err)
	}
	return files, nil
}

// entries reads the entries of this host.
func (f Folder) entries(files []fs.DirEntry) (running, ended []Entry) {
	here := thisPlace()
	for _, file := range files {
		e, ok := f.read(file)
		if !ok || e.Host != here.host {
			continue
		}
		if e.PIDNamespace == here.pidNamespace && !e.alive() {
			ended = append(ended, e)
			continue
		}
		running = append(running, e)
	}
	sortNewestFirst(running)
	return running, ended
}

func (f Folder) removeAll(ended []Entry) {
	for _, e := range ended {
		_ = f.Remove(e) // the next List tries again
	}
}

// The name of an entry's file identifies the process, so that no entry replaces another.
const (
	filePrefix = "toolscript-gateway-"
	fileSuffix = ".json"
	pidSuffix  = ".pid"
)

func (f Folder) path(e Entry) string {
	return filepath.Join(string(f), filePrefix+e.Process().String()+fileSuffix)
}

// pidPath is the path of the file that holds the process id alone, for programs that
// cannot read JSON.
func (f Folder) pidPath(e Entry) string {
	return filepath.Join(string(f), filePrefix+e.Process().String()+pidSuffix)
}

// read reads one entry. Other files, and entries under a wrong name, are ignored.
func (f Folder) read(file fs.DirEntry) (Entry, bool) {
	name := file.Name()
	if !strings.HasPrefix(name, filePrefix) || !strings.HasSuffix(name, fileSuffix) || !file.Type().IsRegular() {
		return Entry{}, false
	}
	path := filepath.Join(string(f), name)
	text, err := os.ReadFile(path) //nolint:gosec // the folder was checked
	if err != nil {
		return Entry{}, false
	}
	var e Entry
	if err := json.Unmarshal(text, &e); err != nil || f.path(e) != path {
		return Entry{}, false
	}
	return e, true
}
