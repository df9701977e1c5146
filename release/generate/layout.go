package main

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
)

// Dimensions of all-MiniLM-L6-v2, and the number of positions that are kept.
const (
	hidden     = 384
	inner      = 1536
	layers     = 6
	vocabulary = 30522
	positions  = 256 // of the 512 positions of the model: longer texts are truncated
	panelCols  = 16  // columns in one kernel call
)

// packModel writes the model in the order in which package minilm reads it. All numbers are little-endian, floats
// have four bytes.
//
//	magic, length of the compressed vocabulary, its pieces in the order of their ids, a line each, with deflate; see used
//	word embeddings:     for each piece a scale, then for each of 12 groups of 32 numbers of five bits a
//	                     factor of one byte, and the numbers, eight in five bytes
//	position embeddings: for each of 256 positions a scale and 384 int8, the embedding of token type 0 added
//	their LayerNorm:     weight, bias
//	for each layer:      linear qkv, linear out, LayerNorm, linear up, linear down, LayerNorm
//	linear:              scales, biases, then the int8 weights in panels of 16 outputs,
//	                     each panel 16 weights for input 0, 16 for input 1, and so on
func packModel(pieces []string, t tensors) ([]byte, error) {
	p := packer{tensors: t}
	p.out.WriteString("TSMINI4\n")
	ids := used(pieces)
	text, err := deflated(pieces, ids)
	if err != nil {
		return nil, err
	}
	p.write(uint32(len(text)))
	p.out.Write(text)

	table := p.get("embeddings.word_embeddings.weight", vocabulary*hidden)
	for _, id := range ids {
		p.word(table[id*hidden:][:hidden])
	}
	for position := range slices.Chunk(p.positions(), hidden) {
		scales, values := quantize(position, hidden)
		p.write(scales)
		p.write(values)
	}
	p.norm("embeddings.LayerNorm")
	for layer := range layers {
		at := fmt.Sprintf("encoder.layer.%d.", layer)
		p.linear(hidden, at+"attention.self.query", at+"attention.self.key", at+"attention.self.value")
		p.linear(hidden, at+"attention.output.dense")
		p.norm(at + "attention.output.LayerNorm")
		p.linear(hidden, at+"intermediate.dense")
		p.linear(inner, at+"output.dense")
		p.norm(at + "output.LayerNorm")
	}
	return p.out.Bytes(), p.err
}

// deflated returns the lines of some pieces, compressed.
func deflated(pieces []string, ids []int) ([]byte, error) {
	var text bytes.Buffer
	w, err := flate.NewWriter(&text, flate.BestCompression)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if _, err := io.WriteString(w, pieces[id]+"\n"); err != nil {
			return nil, err
		}
	}
	err = w.Close()
	return text.Bytes(), err
}

type packer struct {
	tensors tensors
	out     bytes.Buffer
	err     error // the first error; later calls do nothing useful
}

func (p *packer) write(values any) {
	if err := binary.Write(&p.out, binary.LittleEndian, values); err != nil && p.err == nil {
		p.err = err
	}
}

// get returns a tensor. n is the expected number of values, 0 for any.
func (p *packer) get(name string, n int) []float32 {
	values, err := p.tensors.read(name)
	if err == nil && n != 0 && len(values) != n {
		err = fmt.Errorf("tensor %s has %d values, want %d", name, len(values), n)
	}
	if err != nil {
		if p.err == nil {
			p.err = err
		}
		return make([]float32, n)
	}
	return values
}

func (p *packer) positions() []float32 {
	table := p.get("embeddings.position_embeddings.weight", 2*positions*hidden)[:positions*hidden]
	first := p.get("embeddings.token_type_embeddings.weight", 2*hidden)[:hidden]
	for i := range table {
		table[i] += first[i%hidden]
	}
	return table
}

func (p *packer) norm(name string) {
	p.write(p.get(name+".weight", hidden))
	p.write(p.get(name+".bias", hidden))
}

// word writes a word embedding. A number n from -16 to 15 of a group stands for n · factor · scale.
func (p *packer) word(row []float32) {
	scale := largest(row) / (16 * maxFactor)
	if scale == 0 {
		scale = 1
	}
	p.write(scale)
	for group := range slices.Chunk(row, wordGroup) {
		factor, numbers := fiveBits(group, scale)
		p.write(factor)
		for eight := range slices.Chunk(numbers, 8) {
			var bits uint64
			for i, n := range eight {
				bits |= uint64(n+16) << (5 * i)
			}
			p.out.Write(binary.LittleEndian.AppendUint64(nil, bits)[:5])
		}
	}
}

// Groups of word embeddings have the same factor, from 1 to maxFactor.
const (
	wordGroup = 32
	maxFactor = 255
)

// fiveBits returns the numbers from -16 to 15 for some weights, with the factor for which the squared
// error is least.
func fiveBits(weights []float32, scale float32) (best uint8, numbers []int) {
	most := math.Ceil(float64(largest(weights) / (15 * scale)))
	least := math.Inf(1)
	for factor := max(1, math.Floor(0.6*most)); factor <= min(most, maxFactor); factor++ {
		var sum float64
		all := make([]int, len(weights))
		for i, w := range weights {
			n := math.Round(float64(w) / (factor * float64(scale)))
			all[i] = int(min(max(n, -16), 15))
			sum += math.Pow(float64(w)-float64(all[i])*factor*float64(scale), 2)
		}
		if sum < least {
			least, best, numbers = sum, uint8(factor), all
		}
	}
	return best, numbers
}

func largest(weights []float32) (size float32) {
	for _, w := range weights {
		size = max(size, float32(math.Abs(float64(w))))
	}
	return size
}

// linear writes layers of k inputs as one layer with the outputs of all.
func (p *packer) linear(k int, names ...string) {
	var weights, bias []float32
	for _, name := range names {
		w, b := p.get(name+".weight", 0), p.get(name+".bias", 0)
		if p.err == nil && len(w) != k*len(b) {
			p.err = fmt.Errorf("layer %s has %d weights for %d outputs of %d inputs", name, len(w), len(b), k)
		}
		weights, bias = append(weights, w...), append(bias, b...)
	}
	if p.err != nil {
		return
	}
	scales, rows := quantize(weights, k)
	p.write(scales)
	p.write(bias)
	p.write(panels(rows, k))
}

// panels reorders rows of k weights for the kernels.
func panels(rows []int8, k int) []int8 {
	out := make([]int8, 0, len(rows))
	for first := 0; first < len(rows); first += panelCols * k {
		for i := range k {
			for col := range panelCols {
				out = append(out, rows[first+col*k+i])
			}
		}
	}
	return out
}

// quantize converts each row of k weights to int8 with a scale, so that the largest
// value becomes 127.
func quantize(weights []float32, k int) (scales []float32, out []int8) {
	out = make([]int8, len(weights))
	for at := 0; at < len(weights); at += k {
		row := weights[at:][:k]
		scale := largest(row) / 127
		if scale == 0 {
			scale = 1
		}
		for i, w := range row {
			out[at+i] = int8(math.Round(float64(w / scale)))
		}
		scales = append(scales, scale)
	}
	return scales, out
}
