package minilm

const (
	headCount  = 12
	headDim    = Dim / headCount
	scoreScale = 0.17677669529663687 // 1/√headDim
)

// attend computes the attention within one text. qkv has a row of queries, keys and
// values for each token of the batch. The text has the n rows from first on; the
// results go to the same rows of s.context.
//
// A tile always has tileRows rows, so the last tile of a text also reads and writes
// rows of the next text. Texts must therefore be processed in order, so that each
// overwrites the surplus of the previous one, and the buffers end with tileRows spare
// rows.
func (s *scratch) attend(first, n int, kernel bool) {
	keys := roundUp(n, tileCols)
	for head := range headCount {
		q := s.qkv[first*qkvDim+head*headDim:]
		k, v := q[Dim:], q[2*Dim:]
		s.transpose(k, n)
		for row := 0; row < n; row += tileRows {
			scores := s.scores[:tileRows*keys]
			for col := 0; col < keys; col += tileCols {
				floatTile{
					out: scores[col:], outStride: keys,
					a: q[row*qkvDim:], aStride: qkvDim,
					panel: s.keys[col*headDim:], panelStride: tileCols, k: headDim,
				}.run(kernel)
			}
			for r := range min(tileRows, n-row) {
				softmax(scores[r*keys:][:n], scoreScale)
			}
			for col := 0; col < headDim; col += tileCols {
				floatTile{
					out: s.context[(first+row)*Dim+head*headDim+col:], outStride: Dim,
					a: scores, aStride: keys,
					panel: v[col:], panelStride: qkvDim, k: n,
				}.run(kernel)
			}
		}
	}
}

// transpose writes n keys of one head into panels of tileCols keys, padded with
// zeros.
func (s *scratch) transpose(k []float32, n int) {
	for key := range roundUp(n, tileCols) {
		panel := s.keys[key/tileCols*tileCols*headDim+key%tileCols:]
		for d := range headDim {
			if key < n {
				panel[d*tileCols] = k[key*qkvDim+d]
			} else {
				panel[d*tileCols] = 0
			}
		}
	}
}
