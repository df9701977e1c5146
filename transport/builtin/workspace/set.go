package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolscript/toolscript/transport/builtin/tool"
)

// MaxFile is the maximum size of a file to change, in bytes.
const MaxFile = 64 << 20

// file is a file of a set.
type file struct {
	path   string
	info   fs.FileInfo // describes the file as it was read; nil if it did not exist
	before string      // content of the file as it was read
	after  *string     // nil: the file does not exist afterwards
	mode   fs.FileMode // permissions that a change sets; 0 if no change sets them
	moved  bool        // mode comes from the file that was moved here; the umask does not reduce it
}

func (f *file) changed() bool {
	existed, exists := f.info != nil, f.after != nil
	if existed != exists || !exists {
		return existed != exists
	}
	return *f.after != f.before || f.mode != 0 && executable(f.mode) != executable(f.info.Mode())
}

func executable(mode fs.FileMode) bool { return mode&0o100 != 0 }

// Set is a set of changes. Before Commit, its methods read files but write none. They see
// the changes of the set: a file that was deleted can be created again.
//
// Commit writes the new files to a folder in the workspace. Then the journal, a file outside
// of the workspace, records that they are complete, and they are renamed to their places.
// Recover finishes or undoes the changes of a program that was killed.
type Set struct {
	w     *tool.Workspace
	files []*file // in the order of their first use
	size  int
}

// New returns an empty Set.
func New(w *tool.Workspace) *Set { return &Set{w: w} }

// maxSet is the maximum size of all files of a set together, in bytes.
const maxSet = 256 << 20

// file returns the file at a path that Workspace.Path has returned.
func (s *Set) file(path string) (*file, error) {
	for _, f := range s.files {
		if f.path == path {
			return f, nil
		}
	}
	f := &file{path: path}
	if err := s.load(f); err != nil {
		return nil, err
	}
	for _, other := range s.files {
		if f.info != nil && other.info != nil && os.SameFile(f.info, other.info) {
			return nil, fmt.Errorf("%s and %s are the same file", tool.Quote(other.path), tool.Quote(path))
		}
	}
	s.files = append(s.files, f)
	return f, nil
}

// load reads a file, if it exists, and checks that it may be replaced.
func (s *Set) load(f *file) error {
	if path := f.path; path == "." || inGit(path) {
		return fmt.Errorf("%s cannot be changed: it belongs to git, or is the workspace itself", tool.Quote(path))
	}
	info, err := s.w.Root.Lstat(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	switch {
	case err != nil:
		return tool.Explain(f.path, err)
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%s is a symbolic link; name the file that it leads to", tool.Quote(f.path))
	case info.Mode().IsRegular() && info.Mode().Perm()&0o200 == 0:
		return fmt.Errorf("%s is read-only", tool.Quote(f.path))
	case info.Size() > MaxFile:
		return fmt.Errorf("%s has %d bytes; files of up to %d bytes can be changed", tool.Quote(f.path), info.Size(), MaxFile)
	}
	if s.size += int(info.Size()); s.size > maxSet {
		return fmt.Errorf("the files have more than %d bytes together", maxSet)
	}
	f.before, f.info, err = read(s.w, f.path)
	f.after = &f.before
	return err
}

// inGit reports whether a path leads into a .git folder. Its hooks are programs that git
// runs outside of the workspace.
func inGit(path string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(path), "/"), func(part string) bool {
		part = strings.TrimRight(part, ". ") // Windows ignores these
		return strings.EqualFold(part, ".git") || strings.EqualFold(part, "git~1")
	})
}

func read(w *tool.Workspace, path string) (string, fs.FileInfo, error) {
	f, info, err := w.Open(path)
	if err != nil {
		return "", nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	text := make([]byte, info.Size(), info.Size()+1)
	n, err := readFull(f, text)
	if err == nil && n != len(text) {
		err = fmt.Errorf("%s has changed while it was read", tool.Quote(path))
	}
	return string(text), info, err
}

// Read returns the content of a file.
func (s *Set) Read(path string) (string, error) {
	f, err := s.file(path)
	if err != nil {
		return "", err
	}
	if f.after == nil {
		return "", fmt.Errorf("%s does not exist", tool.Quote(path))
	}
	return *f.after, nil
}

// Exists reports whether a file exists.
func (s *Set) Exists(path string) (bool, error) {
	f, err := s.file(path)
	return err == nil && f.after != nil, err
}

// Write sets the content of a file, which may be new.
func (s *Set) Write(path, text string) error {
	f, err := s.file(path)
	if err == nil {
		f.after = &text
	}
	return err
}

// SetMode sets the permissions of a file of the set.
func (s *Set) SetMode(path string, mode fs.FileMode) error {
	f, err := s.file(path)
	if err == nil {
		f.mode, f.moved = mode, false
	}
	return err
}

// Move moves a file, with its permissions, to a path where no file exists.
func (s *Set) Move(from, to string) error {
	f, err := s.file(from)
	if err != nil {
		return err
	}
	if f.after == nil {
		return fmt.Errorf("%s does not exist", tool.Quote(from))
	}
	target, err := s.file(to)
	if err != nil {
		return err
	}
	if target.after != nil {
		return fmt.Errorf("%s exists already", tool.Quote(to))
	}
	target.after, target.mode, target.moved = f.after, f.mode, f.moved
	if f.mode == 0 && f.info != nil {
		target.mode, target.moved = f.info.Mode().Perm(), true
	}
	f.after, f.mode, f.moved = nil, 0, false
	return nil
}

// Remove removes a file.
func (s *Set) Remove(path string) error {
	f, err := s.file(path)
	if err == nil {
		f.after, f.mode, f.moved = nil, 0, false
	}
	return err
}

// Summary returns a line for each changed file: A for a new file, M for a modified file, D
// for a removed file.
func (s *Set) Summary() (lines []string) {
	for _, f := range s.files {
		letter := "M"
		switch {
		case !f.changed():
			continue
		case f.info == nil:
			letter = "A"
		case f.after == nil:
			letter = "D"
		}
		lines = append(lines, letter+" "+filepath.ToSlash(f.path))
	}
	return lines
}

// Commit makes the changes, all or none. First it finishes or undoes the changes of a
// program that was killed.
func (s *Set) Commit(ctx context.Context) error {
	j, err := open(ctx, s.w)
	if err != nil {
		return err
	}
	defer j.close()
	if err := j.recover(); err != nil {
		return err
	}
	ops := s.ops()
	if len(ops) == 0 {
		return nil
	}
	return j.commit(ctx, ops)
}
