package files

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// DamagedDatabase is the error of a file that bbolt cannot read.
type DamagedDatabase struct {
	Path string
	Err  error // what is wrong with the file
}

// Error returns the reason, and the command that moves the file away.
func (d *DamagedDatabase) Error() string {
	return fmt.Sprintf("%s is damaged: %v; move it away to begin a new one: mv %s %s", d.Path, d.Err, shellWord(d.Path), shellWord(d.Path+".damaged"))
}

// shellWord returns text quoted as one word of a shell.
func shellWord(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// Unwrap returns the reason.
func (d *DamagedDatabase) Unwrap() error { return d.Err }

// UseDatabase opens the bbolt file at path, calls use, and closes the file. It keeps no file open,
// because an open file locks out all other processes. If the file does not exist, UseDatabase
// creates it unless o.ReadOnly is set.
//
// bbolt panics on some damaged pages, and a truncated file causes a memory fault. In both
// cases UseDatabase returns a *DamagedDatabase error. The memory mapping of such a file cannot be
// removed, so UseDatabase does not open the file again until it has changed.
func UseDatabase(path string, o bbolt.Options, use func(*bbolt.DB) error) (err error) {
	if known := broken.find(path); known != nil {
		return &DamagedDatabase{path, known}
	}
	var opened *os.File
	o.OpenFile = func(name string, flag int, mode os.FileMode) (*os.File, error) {
		var err error
		opened, err = os.OpenFile(name, flag, mode) //nolint:gosec // G304: the file of the caller
		return opened, err
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if fault := recover(); fault != nil {
			if opened != nil {
				_ = opened.Close() // releases the file lock
			}
			cause := fmt.Errorf("%v", fault)
			broken.note(path, cause)
			err = &DamagedDatabase{path, cause}
		}
	}()
	db, err := bbolt.Open(path, 0o600, &o)
	switch {
	case err == nil:
		return errors.Join(use(db), db.Close())
	case errors.Is(err, bolterrors.ErrInvalid), errors.Is(err, bolterrors.ErrChecksum), errors.Is(err, bolterrors.ErrVersionMismatch):
		return &DamagedDatabase{path, err}
	default:
		return err
	}
}

// broken holds the files whose pages bbolt could not read in this process.
var broken = faults{}

type faults struct{ byPath sync.Map }

// fault is the error of a file that could not be read, with the state of the file at that time.
type fault struct {
	size   int64
	change time.Time
	err    error
}

func (f *faults) note(path string, err error) {
	if info, statErr := os.Stat(path); statErr == nil {
		f.byPath.Store(path, fault{info.Size(), info.ModTime(), err})
	}
}

// find returns the error of a file; nil if there is none, or if the file has changed.
func (f *faults) find(path string) error {
	value, ok := f.byPath.Load(path)
	if !ok {
		return nil
	}
	known, _ := value.(fault)
	if info, err := os.Stat(path); err == nil && known.size == info.Size() && known.change.Equal(info.ModTime()) {
		return known.err
	}
	f.byPath.Delete(path)
	return nil
}
