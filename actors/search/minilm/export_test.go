package minilm

// Portable is the model without the machine's kernels.
func (m *Model) Portable() *Model {
	portable := *m
	portable.kernel = false
	return &portable
}

// HasKernel says whether this machine has kernels.
func HasKernel() bool { return hasKernel }

// Encode is the tokenizer.
func (m *Model) Encode(text string, limit int) []int32 { return m.pieces.encode(text, limit) }
