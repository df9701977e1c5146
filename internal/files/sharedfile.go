package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const (
	// temporary is the suffix of the names of new files that have not replaced the old
	// files yet. These names begin with a dot.
	temporary = ".tmp"
	// maxAge is the age at which a temporary file is removed on systems where locks do not
	// show whether its writer is alive.
	maxAge = time.Hour
	// creations is the maximum number of attempts to create a temporary file. An attempt fails if
	// another process removes the new file before it is locked.
	creations = 10
)

// Write replaces a file by a new file that only the user can access. The new content may be lost if the
// computer crashes.
func Write(path string, data []byte) error { return write(path, data, false) }

// WriteSynced is like Write, but returns only when the new file is on disk. It is for content that
// cannot be made again.
func WriteSynced(path string, data []byte) error { return write(path, data, true) }

func write(path string, data []byte, synced bool) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	defer f.Discard()
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Replace(synced)
}

// File is the new content of a file. The old file stays until Replace.
type File struct {
	path string
	new  *os.File // nil after Replace or Discard
}

// Create starts the replacement of a file, whose folder must exist. The caller must
// call Replace or Discard.
func Create(path string) (*File, error) {
	Tidy(filepath.Dir(path))
	var err error
	for range creations {
		var f *os.File
		f, err = os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*"+temporary) // 0600
		if err != nil {
			return nil, err
		}
		if err = hold(f); err == nil {
			return &File{path, f}, nil
		}
		_ = f.Close() // another process is removing the file
	}
	return nil, err
}

// Write appends to the new content.
func (f *File) Write(b []byte) (int, error) { return f.new.Write(b) }

// Replace replaces the old file. If synced is set, it returns when the new file is on
// disk. After an error the old file is unchanged.
func (f *File) Replace(synced bool) error {
	var err error
	if synced {
		err = f.new.Sync()
	}
	if err := errors.Join(err, finish(f.new, f.path)); err != nil {
		f.Discard()
		return err
	}
	f.new = nil
	if synced {
		syncFolder(filepath.Dir(f.path))
	}
	return nil
}

// Discard cancels the replacement. After Replace it does nothing.
func (f *File) Discard() {
	if f.new == nil {
		return
	}
	_ = f.new.Close()           // no effect if the file is already closed
	_ = os.Remove(f.new.Name()) //nolint:gosec // the name is CreateTemp's; a later writer tries again
	f.new = nil
}

// tidied holds the folders that Tidy has processed.
var tidied sync.Map

// Tidy removes the temporary files of killed writers from a folder. It does so once per process and folder.
// Create calls it.
func Tidy(folder string) {
	if _, seen := tidied.LoadOrStore(folder, true); !seen {
		tidy(folder)
	}
}

func tidy(folder string) {
	entries, _ := os.ReadDir(folder) // a folder that cannot be listed is not tidied
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") && strings.HasSuffix(e.Name(), temporary) && e.Type().IsRegular() {
			removeLeft(filepath.Join(folder, e.Name()))
		}
	}
}

// old reports whether a file was last written more than maxAge ago.
func old(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode().Type() == fs.FileMode(0) && time.Since(info.ModTime()) > maxAge
}
