package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

const (
	maxEntries       = 100_000  // files and folders that one call visits
	maxFileSize      = 32 << 20 // maximum size of a file that is read
	binaryCheckBytes = 8 << 10  // bytes in which a NUL makes a file binary, as in git
)

// files gives access to the files below one directory. os.Root refuses paths and symbolic
// links that lead out of it.
type files struct{ root *os.Root }

// errEnough ends a walk that has reached its limit.
var errEnough = errors.New("enough")

// within converts a path of the caller to a path below the root.
func within(name string) (string, error) {
	clean := path.Clean(filepath.ToSlash(name))
	if !fs.ValidPath(clean) {
		return "", fmt.Errorf("%q is not below the served directory; give a path relative to it", name)
	}
	return clean, nil
}

// walk visits the entries below dir, sorted by name, folders before their content. It
// reports whether it stopped early: because visit returned errEnough, or because of
// maxEntries. It does not follow symbolic links, and skips unreadable entries.
func (f *files) walk(ctx context.Context, dir string, visit func(name string, entry fs.DirEntry) error) (cut bool, err error) {
	start, err := within(dir)
	if err != nil {
		return false, err
	}
	if info, err := f.root.Stat(start); err != nil {
		return false, err
	} else if !info.IsDir() {
		return false, fmt.Errorf("%q is not a folder; read_file reads files", dir)
	}
	seen := 0
	err = fs.WalkDir(f.root.FS(), start, func(name string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if seen++; seen > maxEntries {
			return errEnough
		}
		switch {
		case name == start:
			return err
		case entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "node_modules"):
			return fs.SkipDir
		case err != nil:
			return nil //nolint:nilerr // an unreadable folder must not hide the others
		}
		return visit(name, entry)
	})
	if errors.Is(err, errEnough) {
		return true, nil
	}
	return false, err
}

// walkFiles visits the regular files that match a glob.
func (f *files) walkFiles(ctx context.Context, dir, glob string, visit func(name string, info fs.FileInfo) error) (cut bool, err error) {
	match, err := compileGlob(glob)
	if err != nil {
		return false, err
	}
	return f.walk(ctx, dir, func(name string, entry fs.DirEntry) error {
		if !entry.Type().IsRegular() || !match(name) {
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return nil //nolint:nilerr // the file was removed
		}
		return visit(name, info)
	})
}

// content returns the text of a regular file.
func (f *files) content(name string) ([]byte, error) {
	clean, err := within(name)
	if err != nil {
		return nil, err
	}
	info, err := f.root.Stat(clean) // before Open, which would block on a named pipe
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%q is a folder; list_files lists it", name)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%q is not a regular file", name)
	case info.Size() > maxFileSize:
		return nil, fmt.Errorf("%q has %d bytes, more than the limit of %d", name, info.Size(), maxFileSize)
	}
	file, err := f.root.Open(clean)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	data, err := io.ReadAll(io.LimitReader(file, maxFileSize))
	if err != nil {
		return nil, err
	}
	if bytes.IndexByte(data[:min(len(data), binaryCheckBytes)], 0) >= 0 {
		return nil, fmt.Errorf("%q is not a text file", name)
	}
	return data, nil
}

// compileGlob compiles a glob. A glob without a slash is matched against the last part
// of a path, any other glob against the whole path. ** matches any number of folders. An
// empty glob matches everything.
func compileGlob(glob string) (func(name string) bool, error) {
	if glob == "" {
		return func(string) bool { return true }, nil
	}
	parts := strings.Split(strings.TrimPrefix(glob, "./"), "/")
	for _, part := range parts {
		if _, err := path.Match(part, ""); err != nil {
			return nil, fmt.Errorf("the glob %q is malformed: %w", glob, err)
		}
	}
	if len(parts) == 1 {
		parts = []string{"**", parts[0]}
	}
	return func(name string) bool { return matchParts(parts, strings.Split(name, "/")) }, nil
}

// matchParts matches part by part. It goes back only to the last **, so it does not try
// all combinations.
func matchParts(glob, name []string) bool {
	g, n := 0, 0
	star, from := -1, 0
	for n < len(name) {
		switch {
		case g < len(glob) && glob[g] == "**":
			star, from = g, n
			g++
		case g < len(glob) && matchPart(glob[g], name[n]):
			g++
			n++
		case star >= 0:
			from++
			g, n = star+1, from
		default:
			return false
		}
	}
	for g < len(glob) && glob[g] == "**" {
		g++
	}
	return g == len(glob)
}

func matchPart(glob, part string) bool {
	ok, err := path.Match(glob, part)
	return ok && err == nil
}
