// Package private makes folders and files that only the user can read: what is
// trusted, and the addresses of running gateways, give power to whoever can
// write or read them.
package private

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Dir makes a folder of mode 0700, and those above it, unless it exists. When it
// returns nil the folder is the user's own and nobody else may write to it. It
// changes nothing about a folder that was there: that may be so for others.
func Dir(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return fmt.Errorf("%s is a symbolic link; a private folder is not", path)
	}
	if err := owned(path, info); err != nil {
		return err
	}
	if writableByOthers(info) {
		return fmt.Errorf("%s: others may write to it; run: chmod 700 %s", path, path)
	}
	return nil
}

// Check reports why a folder must not be believed: it is not the user's own, or
// others may write to it. The error of a missing folder is fs.ErrNotExist.
func Check(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a folder", path)
	}
	if err := owned(path, info); err != nil {
		return err
	}
	if writableByOthers(info) {
		return fmt.Errorf("%s: others may write to it; run: chmod 700 %s", path, path)
	}
	return nil
}

// WriteFile replaces a file in one step, so that a reader sees the old text or
// the new one and never a part. Only the user can read it.
func WriteFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path) //nolint:gosec // the path is the program's own
	}
	if err != nil {
		_ = os.Remove(f.Name()) //nolint:gosec // the path is the program's own; the first error says more
	}
	return err
}

func writableByOthers(info fs.FileInfo) bool { return hasModes && info.Mode().Perm()&0o022 != 0 }
