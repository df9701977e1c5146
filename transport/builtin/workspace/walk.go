package workspace

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/toolscript/toolscript/transport/builtin/tool"
)

// Walk calls visit with the path of each regular file below a folder that a search sees. Paths have
// slashes and are in ascending order. Walk stops when ctx ends or visit returns false. Folders that
// cannot be read are left out, but for the first folder that is an error.
func Walk(ctx context.Context, w *tool.Workspace, dir string, visit func(name string) bool) error {
	f := newFilter(ctx, w, dir)
	entries, err := w.ReadDir(dir)
	if err != nil {
		return err
	}
	_, err = f.walk(ctx, f.top, entries, visit)
	return err
}

func (f *filter) walk(ctx context.Context, dir string, entries []fs.DirEntry, visit func(name string) bool) (bool, error) {
	f.list(dir, entries)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(sortKey(a), sortKey(b)) })
	for _, entry := range entries {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		name := path.Join(dir, entry.Name())
		if strings.HasPrefix(entry.Name(), ".") || !entry.IsDir() && !entry.Type().IsRegular() || f.ignored(name, entry.IsDir()) {
			continue
		}
		if !entry.IsDir() {
			if !visit(name) {
				return false, nil
			}
			continue
		}
		below, err := f.w.ReadDir(filepath.FromSlash(name))
		if err != nil {
			continue
		}
		if more, err := f.walk(ctx, name, below, visit); !more || err != nil {
			return false, err
		}
	}
	return true, ctx.Err()
}

// sortKey returns the name by which entries are sorted, so that whole paths are in order.
func sortKey(e fs.DirEntry) string {
	if e.IsDir() {
		return e.Name() + "/"
	}
	return e.Name()
}

var errGlob = errors.New("the glob is not valid; it may have *, **, ?, [a-z] and {a,b}")

// Glob returns a function that reports whether a path, with slashes, matches a glob. A glob
// without a slash is matched against the last element of the path. A "!" in front inverts
// the glob. An empty glob matches all paths. After the end of ctx, no path matches.
func Glob(ctx context.Context, glob string) (func(name string) bool, error) {
	if glob == "" {
		return func(string) bool { return true }, nil
	}
	glob, reverse := strings.CutPrefix(glob, "!")
	if !strings.Contains(glob, "/") {
		glob = "**/" + glob
	}
	glob = strings.TrimPrefix(glob, "/")
	all, err := expand(glob)
	if err != nil {
		return nil, err
	}
	return func(name string) bool {
		for _, plain := range all {
			if ctx.Err() != nil {
				return false
			}
			if doublestar.MatchUnvalidated(plain, name) {
				return !reverse
			}
		}
		return reverse
	}, nil
}
