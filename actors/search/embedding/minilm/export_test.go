package minilm

// Portable returns the model without assembly kernels.
func (m *Model) Portable() *Model {
	portable := *m
	portable.kernel = false
	return &portable
}

// HasKernel reports whether this machine has kernels.
func HasKernel() bool { return hasKernel }

// Encode calls the tokenizer.
func (m *Model) Encode(text string, limit int) []int32 { return m.pieces.encode(text, limit) }

// Pieces returns the vocabulary in the order of its ids.
func (m *Model) Pieces() []string {
	pieces := make([]string, vocabSize)
	for piece, id := range m.pieces.ids {
		pieces[id] = piece
	}
	return pieces
}
