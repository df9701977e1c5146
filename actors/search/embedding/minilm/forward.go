package minilm

// scratch is the working memory of a forward pass, 15 KB per token.
type scratch struct {
	x       []float32 // one row of Dim per token
	y       []float32 // output of a layer, which is added to x
	context []float32
	qkv     []float32
	inner   []float32
	keys    []float32 // panels of one head of one text
	scores  []float32 // for tileRows tokens
}

func newScratch(tokens, longest int) *scratch {
	rows, keys := roundUp(tokens, tileRows)+tileRows, roundUp(longest, tileCols)
	return &scratch{
		x:       make([]float32, rows*Dim),
		y:       make([]float32, rows*Dim),
		context: make([]float32, rows*Dim),
		qkv:     make([]float32, rows*qkvDim),
		inner:   make([]float32, rows*innerDim),
		keys:    make([]float32, keys*headDim),
		scores:  make([]float32, tileRows*keys),
	}
}

// forward embeds a batch. The tokens of all texts pass each layer together, so that
// its weights are read once. pause is called every few hundred microseconds.
func (m *Model) forward(texts [][]int32, pause func()) [][]float32 {
	total, longest := 0, 0
	for _, ids := range texts {
		total, longest = total+len(ids), max(longest, len(ids))
	}
	s := newScratch(total, longest)
	m.embed(s, texts)
	rows := roundUp(total, tileRows)
	for i := range m.layers {
		l := &m.layers[i]
		l.qkv.apply(s.qkv[:rows*qkvDim], s.x[:rows*Dim], m.kernel, pause)
		first := 0
		for _, ids := range texts {
			s.attend(first, len(ids), m.kernel)
			first += len(ids)
			pause()
		}
		l.out.apply(s.y[:rows*Dim], s.context[:rows*Dim], m.kernel, pause)
		s.addNorm(total, l.attended)
		l.up.apply(s.inner[:rows*innerDim], s.x[:rows*Dim], m.kernel, pause)
		gelu(s.inner[:total*innerDim])
		l.down.apply(s.y[:rows*Dim], s.inner[:rows*innerDim], m.kernel, pause)
		s.addNorm(total, l.projected)
	}
	return s.pool(texts)
}

// embed looks up the word and position vectors of the tokens, and normalizes their
// sums.
func (m *Model) embed(s *scratch, texts [][]int32) {
	row := 0
	for _, ids := range texts {
		for position, id := range ids {
			x := s.x[row*Dim:][:Dim]
			m.word(x, id)
			layerNorm(x, m.positions[position*Dim:][:Dim], m.norm.weight, m.norm.bias)
			row++
		}
	}
}

func (s *scratch) addNorm(rows int, w normWeights) {
	for row := range rows {
		layerNorm(s.x[row*Dim:][:Dim], s.y[row*Dim:][:Dim], w.weight, w.bias)
	}
}

// pool returns the mean of each text's rows, including [CLS] and [SEP], scaled to
// length 1.
func (s *scratch) pool(texts [][]int32) [][]float32 {
	vectors := make([][]float32, len(texts))
	row := 0
	for i, ids := range texts {
		vector := make([]float32, Dim)
		for range ids {
			for j, x := range s.x[row*Dim:][:Dim] {
				vector[j] += x
			}
			row++
		}
		normalize(vector)
		vectors[i] = vector
	}
	return vectors
}
