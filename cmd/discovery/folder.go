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

	"github.com/toolscript/toolscript/internal/files"
)

// folder is the path of a folder with entries.
type folder string

// write writes the files of an entry. It creates the folder if necessary.
func (f folder) write(e Entry) error {
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if err := files.PrivateDir(string(f)); err != nil {
		return err
	}
	if err := files.Write(f.path(e), text); err != nil {
		return err
	}
	if err := files.Write(f.pidPath(e), []byte(strconv.Itoa(e.PID)+"\n")); err != nil {
		return errors.Join(err, f.remove(e))
	}
	return nil
}

// remove removes the files of an entry. Missing files are not an error.
func (f folder) remove(e Entry) error {
	var failed error
	for _, path := range []string{f.path(e), f.pidPath(e)} {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// files returns the files of the folder, sorted by name. A missing folder is empty. A folder that
// other users can write to is an error, because an entry decides where tool calls are sent.
func (f folder) files() ([]fs.DirEntry, error) {
	if err := files.CheckPrivateDir(string(f)); err != nil {
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
func (f folder) entries(files []fs.DirEntry) (running, ended []Entry) {
	host, _ := Scope()
	for _, file := range files {
		e, ok := f.read(file)
		if !ok || e.Host != host {
			continue
		}
		if e.Here() && !e.alive() {
			ended = append(ended, e)
			continue
		}
		running = append(running, e)
	}
	return running, ended
}

// The name of an entry's file identifies the process, so that no entry replaces another.
const (
	filePrefix = "toolscript-gateway-"
	fileSuffix = ".json"
	pidSuffix  = ".pid"
)

func (f folder) path(e Entry) string {
	return filepath.Join(string(f), filePrefix+e.Process().String()+fileSuffix)
}

// pidPath returns the path of a file with only the process id, for programs that cannot
// read JSON.
func (f folder) pidPath(e Entry) string {
	return filepath.Join(string(f), filePrefix+e.Process().String()+pidSuffix)
}

// read reads one entry. It ignores other files, and entries in a file with the wrong name.
func (f folder) read(file fs.DirEntry) (Entry, bool) {
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
