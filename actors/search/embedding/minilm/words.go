package minilm

import "math"

// Word embeddings are stored with five bits for each number: a scale for the piece, a factor for each group
// of wordGroup numbers, and numbers from -16 to 15, eight in five bytes.
const (
	wordGroup  = 32
	groupBytes = 1 + wordGroup/8*5
	wordBytes  = 4 + Dim/wordGroup*groupBytes
)

// word writes the embedding of a piece into x, which has Dim values.
func (m *Model) word(x []float32, id int32) {
	row := m.words[int(id)*wordBytes:][:wordBytes]
	scale := math.Float32frombits(uint32(row[0]) | uint32(row[1])<<8 | uint32(row[2])<<16 | uint32(row[3])<<24)
	for at, row := 0, row[4:]; at < Dim; row = row[groupBytes:] {
		step := scale * float32(row[0])
		for eight := row[1:groupBytes]; len(eight) > 0; eight = eight[5:] {
			bits := uint64(eight[0]) | uint64(eight[1])<<8 | uint64(eight[2])<<16 | uint64(eight[3])<<24 | uint64(eight[4])<<32
			for range 8 {
				x[at] = float32(int(bits&31)-16) * step
				bits >>= 5
				at++
			}
		}
	}
}
