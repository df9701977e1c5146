package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Folder is the folder of a project. It opens the files and folders that the configuration of the
// project names. A commit can replace any of them by a link to a place outside of the project, and
// the configuration that the user trusts does not change. So Folder resolves a path each time it is
// used, and refuses links that lead out. The zero value has no folder: it uses all paths as written.
type Folder struct {
	Dir   string   `json:",omitempty"` // absolute path
	Named []string `json:",omitempty"` // absolute paths outside of Dir to which links in the project may lead
}

// LinkError is the error for a path in a project that leads out of the project folder.
type LinkError struct {
	Path, Target string
	Dir          string
}

func (e *LinkError) Error() string {
	return fmt.Sprintf("%s leads to %s, by a link that leaves the folder %s, and is not used; if it is right, write %[2]s itself into the project's file", e.Path, e.Target, e.Dir)
}

// Has reports whether a path, as written, is in the folder.
func (f Folder) Has(path string) bool {
	_, in := f.rel(path)
	return in
}

// Held is a file or folder that is kept open, so that its path keeps leading to the same file.
type Held struct {
	file *os.File // nil if the path is not in a project
	path string   // path as written
}

// Hold opens the file or folder at a path. The error is a LinkError if the path leads out of
// the folder, and fs.ErrNotExist if there is no such file. The caller must close the result.
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

// Root opens a folder as an os.Root. The caller must close it.
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
		defer func() { _ = top.Close() }() // only read
		root, err = top.OpenRoot(rel)
		return err
	})
	return root, err
}

// Open opens a file for reading. It does not wait for the writer of a pipe. The caller must close the file.
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
		defer func() { _ = top.Close() }() // only read
		file, err = top.OpenFile(rel, os.O_RDONLY|noWait, 0)
		return err
	})
	return file, err
}

// resolve calls open with a folder and a relative path that must not leave the folder. A link may
// also have an absolute target, if that is in the project or a path of Named.
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
		case rel == "." && top != f.Dir: // the path may be a file
			return open(filepath.Dir(real), filepath.Base(real))
		case top == f.Dir && !escapes(first):
			return first
		default:
			return open(real, rel)
		}
	}
	return &LinkError{path, target, f.Dir}
}

// escapes reports whether an error may mean that the path leads out of the folder.
func escapes(err error) bool {
	return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission)
}

// rel returns a path relative to the folder. An absolute path may lead to the folder through links.
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

// Path returns a path that leads this process to the file until Close.
func (h Held) Path() string {
	if h.file == nil {
		return h.path
	}
	return pathOf(h.file)
}

// Real returns the path of the file without links.
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
		_ = h.file.Close() // only read
	}
}

// openPortably opens a path in a folder for reading, on all systems.
func openPortably(dir, rel string) (*os.File, error) {
	top, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = top.Close() }() // only read
	return top.OpenFile(rel, os.O_RDONLY|noWait, 0)
}
