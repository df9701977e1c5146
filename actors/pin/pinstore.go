package pin

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/toolscript/toolscript/internal/files"
)

const (
	format   = 1                // changed when the content of the files changes
	maxSize  = 32 << 20         // maximum size of a file; a tool list has at most half of that
	lockTime = 10 * time.Second // limit for waiting for other processes
)

// Folder is a folder within the data folder. It has one file for each server of each configuration file. Only the
// user can read them.
type Folder string

// head is the first line of a file. The second line has the Texts, so that a gateway
// need not parse them at its start.
type head struct {
	Format int `json:"format"`
	Record
}

// Load implements Store.
func (f Folder) Load(server, source string) (*Record, error) {
	return read(f.path(server, source))
}

// Update implements Store. It passes nil to edit if the record cannot be read.
func (f Folder) Update(server, source string, edit func(*Record) *Record) error {
	if err := files.PrivateDir(string(f)); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockTime)
	defer cancel()
	unlock, err := files.Lock(ctx, filepath.Join(string(f), ".lock"))
	if err != nil {
		return fmt.Errorf("another process changes the pins: %w", err)
	}
	defer unlock()
	path := f.path(server, source)
	current, _ := read(path) // a damaged file is replaced
	next := edit(current)
	if next == nil {
		return nil
	}
	return write(path, next)
}

// Same implements Store. It skips files that cannot be read.
func (f Folder) Same(source, identity string) (all []*Record, err error) {
	return f.records(func(r *Record) bool { return r.Source == source && r.Identity == identity })
}

func (f Folder) records(is func(*Record) bool) (all []*Record, err error) {
	files, err := os.ReadDir(string(f))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, file := range files {
		if filepath.Ext(file.Name()) != ".json" || strings.HasPrefix(file.Name(), ".") {
			continue
		}
		if r, err := read(filepath.Join(string(f), file.Name())); err == nil && r != nil && is(r) {
			all = append(all, r)
		}
	}
	return all, err
}

// Mark makes the next change of each server definition in the user's own file a change that is reported. It is
// called before an agent changes the file.
func (f Folder) Mark() error {
	all, err := f.records(func(r *Record) bool { return r.Written != "" })
	for _, r := range all {
		err = errors.Join(err, f.Update(r.Server, r.Source, func(current *Record) *Record {
			if current == nil {
				return nil
			}
			next := *current
			next.Written = Foreign
			return &next
		}))
	}
	return err
}

// path returns the path of a server's file. The name is a hash of the server's name and source.
func (f Folder) path(server, source string) string {
	text, _ := json.Marshal([]string{server, source}) // strings always encode
	sum := sha256.Sum256(text)
	return filepath.Join(string(f), hex.EncodeToString(sum[:16])+".json")
}

func read(path string) (*Record, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := files.CheckPrivateDir(filepath.Dir(path)); err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSize {
		return nil, fmt.Errorf("%s is not a file of pins", path)
	}
	text, err := os.ReadFile(path) //nolint:gosec // the name is a hash
	if err != nil {
		return nil, err
	}
	first, second, _ := bytes.Cut(text, []byte("\n"))
	var h head
	if err := json.Unmarshal(first, &h); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", path, err)
	}
	if h.Format != format || h.Tools == nil {
		return nil, fmt.Errorf("%s has format %d, and this program reads format %d", path, h.Format, format)
	}
	h.Texts = func() (texts Texts) {
		_ = json.Unmarshal(second, &texts) // without texts, a diff shows only the new ones
		return texts
	}
	return &h.Record, nil
}

// write replaces a file. The write is synced: without its pins, a server could change its tools unnoticed.
func write(path string, r *Record) error {
	first, err := json.Marshal(head{format, *r})
	if err != nil {
		return err
	}
	var texts Texts
	if r.Texts != nil {
		texts = r.Texts()
	}
	second, err := json.Marshal(texts)
	if err != nil {
		return err
	}
	text := append(append(append(first, '\n'), second...), '\n')
	if len(text) > maxSize {
		return fmt.Errorf("the pins of server %s have %d bytes, and the limit is %d", r.Server, len(text), maxSize)
	}
	return files.WriteSynced(path, text)
}
