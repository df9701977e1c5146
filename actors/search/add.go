package search

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/toolscript/toolscript/actors/search/index"
	"github.com/toolscript/toolscript/internal/files"
)

// Add puts vectors into the file and marks the keys as used today. Records of other
// gateways stay, unless they are unused for MaxUnusedVectors. If nothing is new, the file is
// not written. Add waits for the lock until ctx ends.
func (f VectorFile) Add(ctx context.Context, fresh index.Vectors, used []index.Key) error {
	if len(fresh) == 0 && len(used) == 0 {
		return nil
	}
	if err := os.MkdirAll(f.Dir, 0o700); err != nil {
		return err
	}
	unlock, err := files.Lock(ctx, f.Path()+".lock")
	if err != nil {
		return fmt.Errorf("wait for another gateway that writes vectors: %w", err)
	}
	defer unlock()
	f.tidy()
	return f.replace(fresh, used)
}

// Claim reserves the computation of vectors of this model for one process. release is
// nil if another process has the claim. The system releases a claim when its process ends.
func (f VectorFile) Claim() (release func(), err error) {
	if err := os.MkdirAll(f.Dir, 0o700); err != nil {
		return nil, err
	}
	return files.TryLock(f.Path() + ".computing")
}

// replace writes a new file and renames it over the old one.
func (f VectorFile) replace(fresh index.Vectors, used []index.Key) error {
	to, err := files.Create(f.Path())
	if err != nil {
		return err
	}
	defer to.Discard()
	out := bufio.NewWriterSize(to, 64<<10)
	w := writer{out: out, written: map[index.Key]bool{}}
	w.write(f.header())
	for k, v := range fresh {
		if len(v) != f.Dim {
			return fmt.Errorf("a vector of %d values, want %d", len(v), f.Dim)
		}
		w.record(newRecord(k, v))
	}
	f.keep(&w, used)
	if err := errors.Join(w.err, out.Flush()); err != nil {
		return err
	}
	return to.Replace(true)
}

// keep copies the sound records of the old file that are in use or recent enough; see
// oldest. Keys in used come first, as there may not be room for all.
func (f VectorFile) keep(w *writer, used []index.Key) {
	inUse := make(map[index.Key]bool, len(used))
	for _, k := range used {
		inUse[k] = true
	}
	f.copy(w, func(r record) record {
		if !inUse[r.key()] {
			return nil
		}
		return r.markUsed()
	})
	oldest := f.oldest(MaxVectors - len(w.written))
	for _, fits := range []func(uint32) bool{
		func(day uint32) bool { return day > oldest },
		func(day uint32) bool { return day == oldest },
	} {
		f.copy(w, func(r record) record {
			if fits(r.day()) {
				return r
			}
			return nil
		})
	}
}

// copy calls choose for each sound record and writes the result, unless it is nil. A
// missing or foreign file has no records.
func (f VectorFile) copy(w *writer, choose func(record) record) {
	old, err := os.Open(f.Path())
	if err != nil {
		return
	}
	defer old.Close()                     //nolint:errcheck // nothing was written
	_ = f.each(old, func(r record) bool { // Read has reported damaged records
		if r.sound() {
			if chosen := choose(r); chosen != nil {
				w.record(chosen)
			}
		}
		return true
	})
}

// oldest returns the first day whose records are kept, so that at most room records
// remain. Records of that day itself are kept as long as there is room.
func (f VectorFile) oldest(room int) uint32 {
	var days []uint32
	f.copy(&writer{written: map[index.Key]bool{}, out: io.Discard}, func(r record) record {
		days = append(days, r.day())
		return nil
	})
	oldest := day(time.Now().Add(-MaxUnusedVectors))
	if len(days) > room {
		slices.Sort(days)
		oldest = max(oldest, days[len(days)-max(room, 1)])
	}
	return oldest
}

// writer writes each key once, and at most MaxVectors records. It keeps the first
// error.
type writer struct {
	out     io.Writer
	written map[index.Key]bool
	err     error
}

func (w *writer) record(r record) {
	if w.written[r.key()] || len(w.written) >= MaxVectors {
		return
	}
	w.written[r.key()] = true
	w.write(r)
}

func (w *writer) write(b []byte) {
	if w.err == nil {
		_, w.err = w.out.Write(b)
	}
}

// tidy removes old files of other models.
func (f VectorFile) tidy() {
	entries, _ := os.ReadDir(f.Dir) // a folder that cannot be listed is not cleaned
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), suffix) || e.Name() == filepath.Base(f.Path()) {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().Type() == fs.FileMode(0) && time.Since(info.ModTime()) > MaxUnusedVectors {
			_ = os.Remove(filepath.Join(f.Dir, e.Name())) // the next Add tries again
		}
	}
}
