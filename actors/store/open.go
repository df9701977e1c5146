package store

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/toolscript/toolscript"
)

// damage is what is known of files that bbolt could not read.
type damage map[string]damaged

// damaged is a file as it was then.
type damaged struct {
	size   int64
	change time.Time
	err    error
}

var errEmpty = errors.New("it is empty")

// of returns the damage of a file, and nil if none is known or the file is another one now.
func (d damage) of(path string) error {
	known, ok := d[path]
	if !ok {
		return nil
	}
	if info, err := os.Stat(path); err == nil && known.size == info.Size() && known.change.Equal(info.ModTime()) {
		return known.err
	}
	delete(d, path)
	return nil
}

// isEmpty reports whether a file was cut off at its beginning. bbolt would make it a new one.
func isEmpty(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() == 0
}

func (d damage) note(path string, err error) {
	if info, statErr := os.Stat(path); statErr == nil {
		d[path] = damaged{info.Size(), info.ModTime(), err}
	}
}

// with opens the file for one operation. bbolt panics at some damaged pages, and a file that
// is shorter than its pages say is a fault of memory. Neither must end the gateway. bbolt
// cannot be closed then, so the file is not opened again before it changes.
func (f file) with(o bbolt.Options, use func(*bbolt.DB) error) (err error) {
	if known := f.damage.of(f.path); known != nil {
		return f.damagedError(known)
	}
	var opened *os.File
	o.Timeout, o.FreelistType = lockTime, bbolt.FreelistMapType
	o.OpenFile = func(name string, flag int, mode os.FileMode) (*os.File, error) {
		var err error
		opened, err = os.OpenFile(name, flag, mode) //nolint:gosec // G304: a name of this package
		return opened, err
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if fault := recover(); fault != nil {
			if opened != nil {
				_ = opened.Close() // releases the lock of the file
			}
			cause := fmt.Errorf("%v", fault)
			f.damage.note(f.path, cause)
			err = f.damagedError(cause)
		}
	}()
	if !o.ReadOnly && isEmpty(f.path) {
		return f.damagedError(errEmpty)
	}
	db, err := bbolt.Open(f.path, 0o600, &o)
	switch {
	case err != nil && isEmpty(f.path):
		return f.damagedError(errEmpty)
	case err != nil:
		return err
	}
	return errors.Join(use(db), db.Close())
}

func (f file) damagedError(err error) error {
	return &toolscript.Error{Kind: toolscript.Internal, Err: fmt.Errorf("the file %s of the store is damaged: %w; move it away to begin a new one: mv '%[1]s' '%[1]s.damaged'", f.path, err)}
}

// isDamage reports whether bbolt has refused the content of a file.
func isDamage(err error) bool {
	return errors.Is(err, bolterrors.ErrInvalid) || errors.Is(err, bolterrors.ErrChecksum) || errors.Is(err, bolterrors.ErrVersionMismatch)
}
