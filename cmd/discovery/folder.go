// Package discovery keeps the entries of running gateways, by which the command
// line finds them. An entry holds the capability of its gateway: only the user
// can read it, and it is never printed whole.
package discovery

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/config/private"
)

// Folder is the path of the runtime folder. It is made by Write.
type Folder string

// RuntimeFolder is the user's runtime folder: TOOLSCRIPT_RUNTIME_DIR, else
// toolscript in XDG_RUNTIME_DIR, else run in the data folder. It is never in
// TMPDIR, where others could be first. An XDG_RUNTIME_DIR that is not the user's
// own, as after su, does not count.
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

// Write makes the entry of this process, or replaces it, and returns it with
// what it filled in: the process, where that runs, version, protocol and time.
// An error says what a gateway that goes on without an entry should warn of.
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
	if err := private.WriteFile(f.path(e), text); err != nil {
		return e, f.cannotWrite(err)
	}
	return e, nil
}

func (f Folder) cannotWrite(err error) error {
	return fmt.Errorf("other commands will not find this gateway by themselves: %w; "+
		"name a folder of yours in TOOLSCRIPT_RUNTIME_DIR", err)
}

// Remove removes the entry that Write returned. That it is gone already is no
// error.
func (f Folder) Remove(e Entry) error {
	if err := os.Remove(f.path(e)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// List returns the entries of the gateways that run, the newest first, and
// removes those whose process has ended. A folder that does not exist is empty;
// one that others can write to is an error, since an entry says where to send
// tool calls.
func (f Folder) List() ([]Entry, error) {
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
	var entries []Entry
	here := thisPlace()
	for _, file := range files {
		e, ok := f.read(file)
		if !ok || e.Host != here.host {
			continue
		}
		if e.PIDNamespace == here.pidNamespace && !e.alive() {
			_ = f.Remove(e) // the next List tries again
			continue
		}
		entries = append(entries, e)
	}
	sortNewestFirst(entries)
	return entries, nil
}

// The name of an entry's file holds what makes a process unique, so that no
// entry can take the place of another.
const (
	filePrefix = "toolscript-gateway-"
	fileSuffix = ".json"
)

func (f Folder) path(e Entry) string {
	return filepath.Join(string(f), fmt.Sprintf("%s%d-%d%s", filePrefix, e.PID, e.StartTime, fileSuffix))
}

// read reads one entry. What is no entry, or not under its own name, is left
// alone.
func (f Folder) read(file fs.DirEntry) (Entry, bool) {
	name := file.Name()
	if !strings.HasPrefix(name, filePrefix) || !strings.HasSuffix(name, fileSuffix) || !file.Type().IsRegular() {
		return Entry{}, false
	}
	path := filepath.Join(string(f), name)
	text, err := os.ReadFile(path) //nolint:gosec // the path is of the checked folder
	if err != nil {
		return Entry{}, false
	}
	var e Entry
	if err := json.Unmarshal(text, &e); err != nil || f.path(e) != path {
		return Entry{}, false
	}
	return e, true
}
