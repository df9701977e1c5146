package minilm

import (
	"compress/flate"
	"encoding/binary"
	"io"
	"math"
	"strings"
)

// reader decodes the embedded weights in the order that release/generate writes.
// Past the end, all values are zero and broken is set.
type reader struct {
	rest   string
	broken bool
}

func (r *reader) take(n int) string {
	if n > len(r.rest) {
		r.broken = true
		return strings.Repeat("\x00", n)
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *reader) expect(magic string) {
	if r.take(len(magic)) != magic {
		r.broken = true
	}
}

// text reads a compressed text after its length.
func (r *reader) text() string {
	size := binary.LittleEndian.Uint32([]byte(r.take(4)))
	if int64(size) > int64(len(r.rest)) {
		r.broken = true
		return ""
	}
	text, err := io.ReadAll(flate.NewReader(strings.NewReader(r.take(int(size)))))
	r.broken = r.broken || err != nil
	return string(text)
}

func (r *reader) floats(n int) []float32 {
	raw := []byte(r.take(4 * n))
	values := make([]float32, n)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return values
}

// rows reads rows of Dim weights, each after its scale.
func (r *reader) rows(n int) []float32 {
	values := make([]float32, 0, n*Dim)
	for range n {
		scale := r.floats(1)[0]
		for _, w := range r.weights(Dim) {
			values = append(values, float32(w)*scale)
		}
	}
	return values
}

func (r *reader) weights(n int) []int8 { return int8s(r.take(n)) }

func (r *reader) norm() normWeights { return normWeights{r.floats(Dim), r.floats(Dim)} }

func (r *reader) linear(inputs, outputs int) linear {
	return linear{
		inputs: inputs, outputs: outputs,
		scale: r.floats(outputs), bias: r.floats(outputs), panels: r.weights(inputs * outputs),
	}
}
