package workspace

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
	"unicode/utf8"

	"github.com/toolscript/toolscript/internal/rawjson"
	"github.com/toolscript/toolscript/transport/builtin/tool"
)

// maxFile is the maximum size of a file that is searched, in bytes. Larger files are left out.
const maxFile = 64 << 20

// binaryPart is the number of bytes at the beginning of a file that are searched for a NUL byte. A file with a NUL
// byte is binary and is not searched.
const binaryPart = 8000

// Search describes what to search for, and where.
type Search struct {
	Pattern *Pattern
	Dir     string                 // folder to search, as Workspace.Path returned it
	Include func(name string) bool // which files to search; name is a path below Dir, with slashes
	Limit   int                    // maximum number of files to return
}

// below returns the part of a path below the searched folder.
func (s Search) below(name string) string {
	dir := filepath.ToSlash(s.Dir)
	if dir == "." || len(name) <= len(dir) {
		return name
	}
	return name[len(dir)+1:]
}

// Files returns the paths of the first files with a matching line, in the order of the
// paths, with slashes. It searches with one goroutine for each processor.
func (s Search) Files(ctx context.Context, w *tool.Workspace) ([]string, error) {
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
				if walking.Err() != nil || !s.matches(walking, w, j.name, &buffer) {
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
		return len(found) >= s.Limit // the files before the last found one are in the queue already
	}
	err := Walk(walking, w, s.Dir, func(name string) bool {
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

// matches reports whether a line of a file matches. A file that cannot be read does not
// match. If buffer is not nil, it is reused for the next file.
func (s Search) matches(ctx context.Context, w *tool.Workspace, name string, buffer *[]byte) bool {
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
	for ctx.Err() == nil {
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
	return s.Pattern.Match(ctx, text)
}

// Match reports whether a line of a text matches, with a byte order mark and the CR of its end, or without them. A binary text
// does not match, and nothing matches after the end of ctx: matching takes time in proportion to the product of the lengths of text and pattern.
func (p *Pattern) Match(ctx context.Context, text []byte) bool {
	if len(text) == 0 || bytes.IndexByte(text[:min(len(text), binaryPart)], 0) >= 0 {
		return false
	}
	if p.match(ctx, text) {
		return true
	}
	plain := rawjson.TrimMark(text)
	if crlf := []byte("\r\n"); bytes.Contains(plain, crlf) {
		plain = bytes.ReplaceAll(plain, crlf, crlf[1:])
	}
	return len(plain) < len(text) && p.match(ctx, plain)
}

func (p *Pattern) match(ctx context.Context, text []byte) bool {
	atOnce := max(maxMatchSteps/p.steps, minAtOnce)
	for len(text) > 0 && ctx.Err() == nil {
		size := min(len(text), atOnce)
		if end := bytes.IndexByte(text[size-1:], '\n'); end >= 0 {
			size += end
		} else {
			size = len(text)
		}
		lines := bytes.TrimSuffix(text[:size], []byte("\n"))
		found := false
		if size <= max(maxLine/p.steps, atOnce) {
			found = p.re.Match(lines)
		} else {
			found = p.re.MatchReader(&reader{ctx: ctx, text: lines})
		}
		if found {
			return ctx.Err() == nil
		}
		text = text[size:]
	}
	return false
}

// Lines are matched together up to the length that takes maxMatchSteps, about a hundredth of a
// second. A line that takes more than maxLine, a third of a second, is read character by
// character, which is slower but ends with ctx.
const (
	maxMatchSteps = 1 << 22
	maxLine       = 1 << 25
	minAtOnce     = 4 << 10
)

// reader is an io.RuneReader of a text that ends with ctx.
type reader struct {
	ctx  context.Context //nolint:containedctx // of one match
	text []byte
	read int
}

// ReadRune implements io.RuneReader.
func (r *reader) ReadRune() (char rune, size int, err error) {
	if r.read++; len(r.text) == 0 || r.read%256 == 0 && r.ctx.Err() != nil {
		return 0, 0, io.EOF
	}
	char, size = utf8.DecodeRune(r.text)
	r.text = r.text[size:]
	return char, size, nil
}

// One returns the path of a file if one of its lines matches, else nil.
func (s Search) One(ctx context.Context, w *tool.Workspace, name string) ([]string, error) {
	f, _, err := w.Open(name)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("close %s: %w", tool.Quote(name), err)
	}
	name = filepath.ToSlash(name)
	if !s.Include(filepath.Base(name)) || !s.matches(ctx, w, name, nil) {
		return nil, ctx.Err()
	}
	return []string{name}, nil
}
