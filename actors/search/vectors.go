package search

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/toolscript/toolscript/actors/search/index"
)

const (
	// MaxVectors bounds a file. 20,000 records of 384 values have 32 MB.
	MaxVectors = 20_000
	// MaxUnusedVectors is the time after which an unused record is removed.
	MaxUnusedVectors = 60 * 24 * time.Hour
	// refreshAge is the age at which the date of the last use is written again. Writing
	// the file more often is not worth the work.
	refreshAge = 7 * 24 * time.Hour

	suffix = ".tse"
)

// VectorFile stores the vectors of one model, so that a text is embedded once per machine, not once
// per gateway and start. Several gateways use one file: a writer holds a lock and replaces the whole
// file, and a reader sees the old file or the new one.
type VectorFile struct {
	Dir   string // created by Add
	Model string // the model's ID; it names the file, because vectors of two models must not be mixed
	Dim   int
}

// Path returns the path of the file.
func (f VectorFile) Path() string { return filepath.Join(f.Dir, f.Model+suffix) }

// FoundVectors is the result of a lookup.
type FoundVectors struct {
	Vectors index.Vectors
	// Stale means that the date of the last use of some records is old. An Add of
	// the used keys prevents their removal.
	Stale bool
}

// Read looks up the keys. A missing file has no vectors. The error reports a foreign
// file or damaged records; vectors of sound records are returned with it. The next
// Add repairs the file.
func (f VectorFile) Read(keys []index.Key) (FoundVectors, error) {
	file, err := os.Open(f.Path())
	if errors.Is(err, fs.ErrNotExist) {
		return FoundVectors{}, nil
	}
	if err != nil {
		return FoundVectors{}, err
	}
	defer file.Close() //nolint:errcheck // opened for reading
	return f.find(file, keys)
}

func (f VectorFile) find(from io.Reader, keys []index.Key) (FoundVectors, error) {
	found := FoundVectors{Vectors: index.Vectors{}}
	wanted := make(map[index.Key]bool, len(keys))
	for _, k := range keys {
		wanted[k] = true
	}
	old := day(time.Now().Add(-refreshAge))
	err := f.each(from, func(r record) bool {
		if !wanted[r.key()] {
			return true
		}
		v := r.vector()
		if v == nil {
			return false
		}
		found.Vectors[r.key()] = v
		found.Stale = found.Stale || r.day() < old
		return true
	})
	return found, err
}

// errForeign reports a file of another program or model.
var errForeign = errors.New("it is not a file of vectors of this model")

// each calls use for every record. If use returns false, the record is counted as
// damaged. An incomplete record ends the file.
func (f VectorFile) each(from io.Reader, use func(record) bool) error {
	in := bufio.NewReaderSize(from, 64<<10)
	head := make([]byte, headerSize)
	if _, err := io.ReadFull(in, head); err != nil || !f.owns(head) {
		return errForeign
	}
	r := make(record, recordSize(f.Dim))
	damaged, n := 0, 0
	for ; n <= MaxVectors; n++ {
		_, err := io.ReadFull(in, r)
		switch {
		case errors.Is(err, io.EOF):
			return damage(damaged, n)
		case errors.Is(err, io.ErrUnexpectedEOF):
			return damage(damaged+1, n+1)
		case err != nil:
			return err
		case !use(r):
			damaged++
		}
	}
	return fmt.Errorf("it has more than %d records", MaxVectors)
}

func damage(damaged, of int) error {
	if damaged == 0 {
		return nil
	}
	return fmt.Errorf("%d of its %d records are damaged", damaged, of)
}
