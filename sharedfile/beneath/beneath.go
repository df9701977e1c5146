// Package beneath opens the files and folders that a project's file names. A commit can replace any of
// them by a link, and the file, which the user trusts, stays the same. So a path in the folder of the
// project is resolved beneath it each time that it is used.
package beneath

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Folder is the folder of a project. The zero value has no folder: all paths are used as they are
// written.
type Folder struct {
	Dir   string   `json:",omitempty"` // absolute
	Named []string `json:",omitempty"` // absolute paths outside of Dir that the user trusts, to which links of the project may lead
}

// LinkError is the error of a path of a project that leaves the folder of the project.
type LinkError struct {
	Path, Target string
	Dir          string
}

func (e *LinkError) Error() string {
	return fmt.Sprintf("%s leads to %s, by a link that leaves the folder %s, and is not used; if it is right, write %[2]s itself into the project's file", e.Path, e.Target, e.Dir)
}

// Has reports whether a path is in the folder as it is written.
func (f Folder) Has(path string) bool {
	_, in := f.rel(path)
	return in
}

// Held is a file or folder that is held open, so that its path stays the same file.
type Held struct {
	file *os.File // nil: it is not in a project
	path string   // as it is written
}

// Hold finds what a path leads to. The error is a LinkError if it leaves the folder, fs.ErrNotExist if
// there is nothing. The caller closes the result.
func (f Folder) Hold(path string) (Held, error) {
	if _, in := f.rel(path); !in {
		return Held{path: path}, nil
	}
	var file *os.File
	err := f.resolve(path, func(dir, rel string) (err error) {
		file, err = open(dir, rel)
		return err
	})
	return Held{file, path}, err
}

// Root opens a folder as an os.Root. The caller closes it.
func (f Folder) Root(path string) (*os.Root, error) {
	if _, in := f.rel(path); !in {
		return os.OpenRoot(path)
	}
	var root *os.Root
	err := f.resolve(path, func(dir, rel string) error {
		top, err := os.OpenRoot(dir)
		if err != nil {
			return err
		}
		defer func() { _ = top.Close() }() // it was only read
		root, err = top.OpenRoot(rel)
		return err
	})
	return root, err
}

// Open opens a file for reading. It does not wait for a pipe. The caller closes it.
func (f Folder) Open(path string) (*os.File, error) {
	if _, in := f.rel(path); !in {
		return os.OpenFile(path, os.O_RDONLY|noWait, 0) //nolint:gosec // G304: the user wrote the path
	}
	var file *os.File
	err := f.resolve(path, func(dir, rel string) error {
		top, err := os.OpenRoot(dir)
		if err != nil {
			return err
		}
		defer func() { _ = top.Close() }() // it was only read
		file, err = top.OpenFile(rel, os.O_RDONLY|noWait, 0)
		return err
	})
	return file, err
}

// resolve calls open for the folder and the path in it that must not leave it. A link may also lead to
// another place in the project by an absolute path, and to a path of Named.
func (f Folder) resolve(path string, open func(dir, rel string) error) error {
	rel, _ := f.rel(path)
	first := open(f.Dir, rel)
	if first == nil {
		return nil
	}
	target, err := filepath.EvalSymlinks(filepath.Join(f.Dir, rel))
	if err != nil {
		return first
	}
	for _, top := range append([]string{f.Dir}, f.Named...) {
		real, err := filepath.EvalSymlinks(top)
		if err != nil {
			continue
		}
		switch rel, err := filepath.Rel(real, target); {
		case err != nil || !filepath.IsLocal(rel):
		case rel == "." && top != f.Dir: // it may be a file
			return open(filepath.Dir(real), filepath.Base(real))
		case top == f.Dir && !escapes(first):
			return first
		default:
			return open(real, rel)
		}
	}
	return &LinkError{path, target, f.Dir}
}

// escapes reports whether an error is not one of the file itself.
func escapes(err error) bool {
	return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission)
}

// rel is a path beneath the folder. An absolute path may lead there by another name of the folder.
func (f Folder) rel(path string) (rel string, in bool) {
	if f.Dir == "" {
		return "", false
	}
	if rel, err := filepath.Rel(f.Dir, path); err == nil && filepath.IsLocal(rel) {
		return rel, true
	}
	dir, err := os.Stat(f.Dir)
	if err != nil {
		return "", false
	}
	for at := filepath.Clean(path); ; at = filepath.Dir(at) {
		if info, err := os.Stat(at); err == nil && os.SameFile(info, dir) {
			rel, err := filepath.Rel(at, path)
			return rel, err == nil && filepath.IsLocal(rel)
		}
		if at == filepath.Dir(at) {
			return "", false
		}
	}
}

// Path is a path by which this process finds the file until Close.
func (h Held) Path() string {
	if h.file == nil {
		return h.path
	}
	return pathOf(h.file)
}

// Real is the path of the file without links.
func (h Held) Real() string {
	if h.file == nil {
		if real, err := filepath.EvalSymlinks(h.path); err == nil {
			return real
		}
		return h.path
	}
	return realOf(h.file)
}

// Close closes the file.
func (h Held) Close() {
	if h.file != nil {
		_ = h.file.Close() // it was only read
	}
}

// openPortably opens a path in a folder for reading.
func openPortably(dir, rel string) (*os.File, error) {
	top, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = top.Close() }() // it was only read
	return top.OpenFile(rel, os.O_RDONLY|noWait, 0)
}
