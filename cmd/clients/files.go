package clients

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// maxSize is the maximum size of a file. Claude Code keeps its history in the file with its
// servers.
const maxSize = 64 << 20

// placeInFolder is a file below a folder that it cannot leave: the links of its path are resolved
// and lead to a place inside.
type placeInFolder struct {
	root string // folder without links
	rel  string
}

// locate resolves the links of a path. The file and its parent folders may be missing.
func locate(f File) (placeInFolder, error) {
	root, err := resolve(f.Root)
	if err != nil {
		return placeInFolder{}, err
	}
	rel, err := filepath.Rel(f.Root, f.Path)
	if err != nil {
		return placeInFolder{}, err
	}
	path := filepath.Join(root, rel)
	resolved, err := resolve(path)
	if err != nil {
		return placeInFolder{}, err
	}
	if !inside(root, resolved) {
		return placeInFolder{}, fmt.Errorf("%s is a link to %s, which is outside of %s; toolscript does not follow it", f.Path, resolved, f.Root)
	}
	rel, err = filepath.Rel(root, resolved)
	return placeInFolder{root, rel}, err
}

// resolve resolves the links of a path. Its last elements may be missing.
func resolve(path string) (string, error) {
	resolved, err := filepath.EvalSymlinks(path)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return resolved, err
	}
	if _, err := os.Lstat(path); err == nil {
		return "", fmt.Errorf("%s is a symbolic link without a target", path)
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path, nil
	}
	if parent, err = resolve(parent); err != nil {
		return "", err
	}
	return filepath.Join(parent, filepath.Base(path)), nil
}

// read reads a file. The error is fs.ErrNotExist if there is none.
func read(f File) ([]byte, error) {
	p, err := locate(f)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(p.root)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // it was only read
	info, err := root.Stat(p.rel)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening a pipe could block forever
		return nil, fmt.Errorf("%s is not a regular file", f.Path)
	}
	file, err := root.Open(p.rel)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(file, maxSize+1))
	if err == nil && len(text) > maxSize {
		err = fmt.Errorf("%s is larger than %d MB", f.Path, maxSize>>20)
	}
	return text, err
}

// write replaces a file in one step, and keeps its mode. A new file of the user is readable
// by the user alone; a new file of a project is readable as the umask allows.
func write(f File, text []byte) error {
	p, err := locate(f)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(p.root, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(p.root)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // every file in it is closed
	if err := root.MkdirAll(filepath.Dir(p.rel), 0o755); err != nil {
		return err
	}
	mode, exists := fs.FileMode(0o600), false
	if f.Project {
		mode = 0o644
	}
	if info, err := root.Stat(p.rel); err == nil {
		mode, exists = info.Mode().Perm(), true
	}
	temporary := filepath.Join(filepath.Dir(p.rel), "."+filepath.Base(p.rel)+".toolscript-"+rand.Text())
	err = writeNew(root, temporary, text, mode, exists)
	if err == nil {
		err = root.Rename(temporary, p.rel)
	}
	if err != nil {
		_ = root.Remove(temporary) // the first error says more
		return fmt.Errorf("write %s: %w", f.Path, err)
	}
	return nil
}

func writeNew(root *os.Root, path string, text []byte, mode fs.FileMode, exact bool) error {
	file, err := root.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if exact { // whatever the umask is
		err = errors.Join(err, file.Chmod(mode))
	}
	return errors.Join(err, file.Sync(), file.Close())
}

// removeFile deletes a file.
func removeFile(f File) error {
	p, err := locate(f)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(p.root)
	if err != nil {
		return err
	}
	return errors.Join(root.Remove(p.rel), root.Close())
}
