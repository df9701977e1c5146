// Package vectors keeps the vectors of tools in a file, so that a text is
// embedded once on a machine and not once for each gateway and start. Gateways
// use one file at the same time: who writes holds a lock and replaces the whole
// file, and who reads sees the old one or the new one.
package vectors

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
	// MaxRecords bounds a file: 20,000 records of 384 values have 32 MB.
	MaxRecords = 20_000
	// MaxUnused is how long a record stays that no gateway has used.
	MaxUnused = 60 * 24 * time.Hour
	// touchAfter is how old the mark of the last use may be. More often is not
	// worth writing the file for.
	touchAfter = 7 * 24 * time.Hour

	suffix = ".tse"
)

// File holds the vectors that one model computes.
type File struct {
	Dir   string // made by Add when it is not there
	Model string // its ID, which names the file: vectors of two models must not meet
	Dim   int
}

// Path is where the file is.
func (f File) Path() string { return filepath.Join(f.Dir, f.Model+suffix) }

// Found is what a file has.
type Found struct {
	Vectors index.Vectors
	// Stale asks for an Add of what is used: some of it has not been for long,
	// and would be dropped one day.
	Stale bool
}

// Read finds the vectors of the keys. A file that is not there has none. The
// error is about what cannot be used of the file, all of it or some records;
// what is sound is found all the same. The next Add repairs it.
func (f File) Read(keys []index.Key) (Found, error) {
	file, err := os.Open(f.Path())
	if errors.Is(err, fs.ErrNotExist) {
		return Found{}, nil
	}
	if err != nil {
		return Found{}, err
	}
	defer file.Close() //nolint:errcheck // nothing was written
	return f.find(file, keys)
}

func (f File) find(from io.Reader, keys []index.Key) (Found, error) {
	found := Found{Vectors: index.Vectors{}}
	wanted := make(map[index.Key]bool, len(keys))
	for _, k := range keys {
		wanted[k] = true
	}
	old := day(time.Now().Add(-touchAfter))
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

// errForeign is about a file that this program has not written for this model.
var errForeign = errors.New("it is no file of vectors of this model")

// each calls use for every record; false counts it as damaged. A record that is
// not whole ends the file.
func (f File) each(from io.Reader, use func(record) bool) error {
	in := bufio.NewReaderSize(from, 64<<10)
	head := make([]byte, headerSize)
	if _, err := io.ReadFull(in, head); err != nil || !f.owns(head) {
		return errForeign
	}
	r := make(record, recordSize(f.Dim))
	damaged, n := 0, 0
	for ; n <= MaxRecords; n++ {
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
	return fmt.Errorf("it has more than %d records", MaxRecords)
}

func damage(damaged, of int) error {
	if damaged == 0 {
		return nil
	}
	return fmt.Errorf("%d of its %d records are damaged", damaged, of)
}
