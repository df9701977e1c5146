package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Workspace is the folder in which the tools of one server work. Tools open files only
// through Root, which neither symbolic links nor ".." can leave.
type Workspace struct {
	upstream.Host
	Root *os.Root
	Dir  string // absolute path of the folder
	Log  func(level slog.Level, message string)

	Project  files.Folder // folder beneath which Dir and the paths of Settings are resolved
	Settings upstream.BuiltinSettings
	Env      []string // environment of programs, as NAME=value

	// Background runs work that outlives a call; its context ends with the server.
	Background func(work func(context.Context))

	real string // Dir without symbolic links
}

// Open opens a folder of a project as a workspace. The caller must close it.
func Open(project files.Folder, dir string, host upstream.Host) (*Workspace, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	root, err := project.Root(dir)
	if err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		real = dir
	}
	return &Workspace{Host: host, Root: root, Dir: dir, Project: project, Log: func(slog.Level, string) {}, Background: func(func(context.Context)) {}, real: real}, nil
}

// Close closes the workspace.
func (w *Workspace) Close() error { return w.Root.Close() }

// Real returns Dir without symbolic links.
func (w *Workspace) Real() string { return w.real }

// Check returns an error if the folder was replaced since it was opened.
func (w *Workspace) Check() error {
	opened, err := w.Root.Stat(".")
	if err != nil {
		return err
	}
	now, err := os.Stat(w.Dir)
	if err != nil {
		return err
	}
	if !os.SameFile(opened, now) {
		return fmt.Errorf("the folder %s was replaced", w.Dir)
	}
	return nil
}

// errOutside is wrapped by errors about paths outside of the workspace.
var errOutside = errors.New("outside of the workspace")

// Path returns a caller's path as a path below Root, in the form of the system. A relative
// path is relative to workdir, which is itself relative to the workspace; an absolute path
// must lead into the workspace. The result is "." for the workspace itself. The path may
// still contain a symbolic link that leads out: only Root checks that.
func (w *Workspace) Path(path, workdir string) (string, error) {
	if path == "" {
		return "", errors.New("the path is empty")
	}
	if strings.ContainsRune(path+workdir, 0) {
		return "", errors.New("the path contains a NUL byte")
	}
	base := "."
	if workdir != "" {
		var err error
		if base, err = w.Path(workdir, ""); err != nil {
			return "", err
		}
	}
	rel, ok := w.below(filepath.FromSlash(path))
	if !ok {
		rel = filepath.Join(base, filepath.FromSlash(path))
		slashes := filepath.ToSlash(rel)
		switch rooted := filepath.IsAbs(path) || strings.HasPrefix(filepath.ToSlash(path), "/"); {
		case rooted, slashes == "..", strings.HasPrefix(slashes, "../"):
			return "", fmt.Errorf("%s is %w", Quote(path), errOutside)
		case !filepath.IsLocal(rel):
			return "", fmt.Errorf("%s cannot be the name of a file on Windows", Quote(path))
		}
	}
	return rel, nil
}

// below returns the part of an absolute path below the workspace, or false if the path is outside.
func (w *Workspace) below(path string) (string, bool) {
	if !filepath.IsAbs(path) {
		return "", false
	}
	path = filepath.Clean(path)
	for _, dir := range []string{w.Dir, w.real} {
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
			return rel, true
		}
	}
	return "", false
}

// Open opens a regular file for reading. It never waits for a pipe.
func (w *Workspace) Open(path string) (*os.File, fs.FileInfo, error) {
	f, err := w.Root.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, nil, Explain(path, err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is %s", Quote(path), kind(info.Mode()))
	}
	if err != nil {
		_ = f.Close() // it was only read
		return nil, nil, Explain(path, err)
	}
	return f, info, nil
}

// kind names the kind of a file that is not regular.
func kind(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	default:
		return "not a regular file"
	}
}

// Explain turns a file system error into a sentence for the caller, with the path that the
// caller knows.
func Explain(path string, err error) error {
	var at *fs.PathError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s does not exist", Quote(path))
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: permission denied", Quote(path))
	case errors.As(err, &at):
		if strings.Contains(at.Err.Error(), "escapes from parent") {
			return fmt.Errorf("%s leads through a symbolic link and is %w", Quote(path), errOutside)
		}
		return fmt.Errorf("%s: %w", Quote(path), at.Err)
	default:
		return err
	}
}

// Quote quotes a path for a message: with slashes, with control characters escaped, and cut
// if it is very long.
func Quote(path string) string {
	path = filepath.ToSlash(path)
	if len(path) > 300 {
		path = path[:300] + "…"
	}
	return fmt.Sprintf("%q", path)
}

// ReadDir returns the entries of a folder, in no order. It never waits for a pipe.
func (w *Workspace) ReadDir(path string) ([]fs.DirEntry, error) {
	f, err := w.Root.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, Explain(path, err)
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	if err != nil {
		return nil, Explain(path, err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a folder", Quote(path))
	}
	entries, err := f.ReadDir(-1)
	return entries, Explain(path, err)
}
