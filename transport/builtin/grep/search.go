package grep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/toolscript/toolscript/transport/builtin/tool"
	"github.com/toolscript/toolscript/transport/builtin/tree"
)

// maxFile bounds the files that are searched, in bytes. Longer files are left out.
const maxFile = 64 << 20

// binaryPart is the begin of a file that is searched for a NUL byte, in bytes. A file
// with one is binary and has no lines.
const binaryPart = 8000

// Search is what is searched for, and where.
type Search struct {
	Pattern *Pattern
	Dir     string                 // the folder, as Workspace.Path has returned it
	Include func(name string) bool // for paths below Dir, with slashes
	Limit   int                    // of files
	Ripgrep string                 // path of the program; empty: the search is made without it
}

// Files returns the paths of the first files with a matching line, in the order of the
// paths, with slashes.
func (s Search) Files(ctx context.Context, w *tool.Workspace) ([]string, error) {
	if s.Ripgrep != "" && s.Pattern.rust != "" {
		names, ok, err := s.candidates(ctx, w)
		if err != nil {
			return nil, err
		}
		if ok {
			return s.verify(ctx, w, names)
		}
	}
	return s.scan(ctx, w)
}

// verify returns the files among those that ripgrep has found that match. It reads them
// again through the workspace: ripgrep follows what the names lead to at that moment, and
// its expression may match more.
func (s Search) verify(ctx context.Context, w *tool.Workspace, names []string) (found []string, err error) {
	slices.Sort(names)
	filter := tree.NewFilter(w, s.Dir)
	for _, name := range names {
		if len(found) == s.Limit || ctx.Err() != nil {
			break
		}
		if s.Include(s.below(name)) && filter.Sees(name) && s.matches(w, name, nil) {
			found = append(found, name)
		}
	}
	return found, ctx.Err()
}

// below is the part of a path below the folder that is searched.
func (s Search) below(name string) string {
	dir := filepath.ToSlash(s.Dir)
	if dir == "." || len(name) <= len(dir) {
		return name
	}
	return name[len(dir)+1:]
}

// scan searches all files with one goroutine for each processor.
func (s Search) scan(ctx context.Context, w *tool.Workspace) ([]string, error) {
	walking, stop := context.WithCancel(ctx)
	defer stop()
	type job struct {
		name  string
		index int
	}
	jobs := make(chan job, 64)
	var mu sync.Mutex
	found := map[int]string{}
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			var buffer []byte
			for j := range jobs {
				if walking.Err() != nil || !s.matches(w, j.name, &buffer) {
					continue
				}
				mu.Lock()
				found[j.index] = j.name
				mu.Unlock()
			}
		})
	}
	n := 0
	enough := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(found) >= s.Limit // the files before the last of them are in the queue already
	}
	err := tree.Walk(walking, w, s.Dir, func(name string) bool {
		if s.Include(s.below(name)) {
			jobs <- job{name, n}
			n++
		}
		return n%64 != 0 || !enough()
	})
	close(jobs)
	workers.Wait()
	if err != nil {
		return nil, err
	}
	var names []string
	for i := range n {
		if name, ok := found[i]; ok && len(names) < s.Limit {
			names = append(names, name)
		}
	}
	return names, ctx.Err()
}

// matches reports whether a line of a file matches. A file that cannot be read does
// not. buffer, if not nil, is used again for the next file.
func (s Search) matches(w *tool.Workspace, name string, buffer *[]byte) bool {
	f, info, err := w.Open(filepath.FromSlash(name))
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // it was only read
	if info.Size() > maxFile {
		return false
	}
	var text []byte
	if buffer != nil {
		text = (*buffer)[:0]
	}
	text = slices.Grow(text, int(info.Size())+1)
	for {
		n, err := f.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		if err != nil || len(text) > maxFile {
			if !errors.Is(err, io.EOF) {
				return false
			}
			break
		}
		if len(text) == cap(text) {
			text = slices.Grow(text, len(text))
		}
	}
	if buffer != nil {
		*buffer = text
	}
	return s.Pattern.Match(text)
}

// Match reports whether a line of a text matches. A binary text has no lines.
func (p *Pattern) Match(text []byte) bool {
	if len(text) == 0 || bytes.IndexByte(text[:min(len(text), binaryPart)], 0) >= 0 {
		return false
	}
	return p.re.Match(bytes.TrimSuffix(text, []byte("\n")))
}

// One returns the path of a file if a line of it matches.
func (s Search) One(w *tool.Workspace, name string) ([]string, error) {
	f, _, err := w.Open(name)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("close %s: %w", tool.Quote(name), err)
	}
	name = filepath.ToSlash(name)
	if !s.Include(filepath.Base(name)) || !s.matches(w, name, nil) {
		return nil, nil
	}
	return []string{name}, nil
}
