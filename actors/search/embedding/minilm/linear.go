package minilm

// linear is a layer y = x · weights · scale + bias. The weights are stored in panels
// of tileCols outputs.
type linear struct {
	inputs, outputs int
	scale, bias     []float32
	panels          []int8
}

// apply computes rows of y from rows of x; both have a multiple of tileRows full
// rows. A block of rows stays in the L1 cache while it is multiplied with all panels.
// pause is called between blocks.
func (l *linear) apply(y, x []float32, kernel bool, pause func()) {
	for row := 0; row*l.inputs < len(x); row += tileRows {
		for col := 0; col < l.outputs; col += tileCols {
			int8Tile{
				out: y[row*l.outputs+col:], outStride: l.outputs,
				a: x[row*l.inputs:], aStride: l.inputs,
				panel: l.panels[col*l.inputs:], k: l.inputs,
				scale: l.scale[col:], bias: l.bias[col:],
			}.run(kernel)
		}
		pause()
	}
}

// roundUp returns the smallest multiple of m that is at least n.
func roundUp(n, m int) int { return (n + m - 1) / m * m }
