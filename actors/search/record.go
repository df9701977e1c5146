package search

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"math"
	"time"

	"github.com/toolscript/toolscript/actors/search/index"
)

// A file is a header and records, all numbers little-endian:
//
//	header  magic[8] dim:u32 sha256(model)[32] crc32c:u32
//	record  key[32] day:u32 vector[dim]f32 crc32c:u32
//
// The key of a record holds the form of the text that was embedded (see
// index.Describe), so that another form has other keys.
const (
	magic      = "TSVECT1\n"
	headerSize = len(magic) + 4 + sha256.Size + sumSize
	keySize    = sha256.Size
	daySize    = 4
	sumSize    = 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func recordSize(dim int) int { return keySize + daySize + 4*dim + sumSize }

func (f VectorFile) header() []byte {
	model := sha256.Sum256([]byte(f.Model))
	h := append([]byte(magic), binary.LittleEndian.AppendUint32(nil, uint32(f.Dim))...)
	return sum(append(h, model[:]...))
}

func (f VectorFile) owns(header []byte) bool { return bytes.Equal(header, f.header()) }

// sum appends the CRC-32C of b.
func sum(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// record is a record in the form of the file.
type record []byte

// newRecord encodes a vector with the date of today.
func newRecord(k index.Key, v []float32) record {
	r := make(record, 0, recordSize(len(v)))
	r = append(r, k[:]...)
	r = binary.LittleEndian.AppendUint32(r, day(time.Now()))
	for _, x := range v {
		r = binary.LittleEndian.AppendUint32(r, math.Float32bits(x))
	}
	return sum(r)
}

func (r record) key() index.Key { return index.Key(r[:keySize]) }
func (r record) day() uint32    { return binary.LittleEndian.Uint32(r[keySize:]) }

// markUsed sets the day to today, in place.
func (r record) markUsed() record {
	binary.LittleEndian.PutUint32(r[keySize:], day(time.Now()))
	return sum(r[:len(r)-sumSize])
}

// sound reports whether the checksum is right.
func (r record) sound() bool {
	body := r[:len(r)-sumSize]
	return crc32.Checksum(body, castagnoli) == binary.LittleEndian.Uint32(r[len(body):])
}

// vector returns nil if the record is damaged or cannot come from a model: the mean
// of vectors of length 1 is not longer than 1.
func (r record) vector() []float32 {
	if !r.sound() {
		return nil
	}
	values := r[keySize+daySize : len(r)-sumSize]
	v := make([]float32, len(values)/4)
	var squares float64
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(values[4*i:]))
		squares += float64(v[i]) * float64(v[i])
	}
	if !(squares <= 1.01) { // also true for NaN
		return nil
	}
	return v
}

// day returns the number of days since 1970.
func day(t time.Time) uint32 { return uint32(max(t.Unix(), 0) / (24 * 60 * 60)) }
