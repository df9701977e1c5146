package minilm

const (
	tileRows = 6  // rows of activations in one kernel call
	tileCols = 16 // columns of a panel
)

// int8Tile is one step of a linear layer: out = a · panel · scale + bias for tileRows
// rows and tileCols columns. Strides are numbers of values.
type int8Tile struct {
	out       []float32
	outStride int
	a         []float32 // tileRows rows of k values
	aStride   int
	panel     []int8 // k rows of tileCols weights
	k         int    // at least 1
	scale     []float32
	bias      []float32
}

// floatTile is one step of the attention, with two float matrices: out = a · panel.
type floatTile struct {
	out         []float32
	outStride   int
	a           []float32
	aStride     int
	panel       []float32 // k rows of tileCols values
	panelStride int
	k           int // at least 1
}

// run computes the tile. The kernels do not check bounds, so run does: a short slice
// panics.
func (m int8Tile) run(kernel bool) {
	_ = m.out[(tileRows-1)*m.outStride+tileCols-1]
	_ = m.a[(tileRows-1)*m.aStride+m.k-1]
	_ = m.panel[m.k*tileCols-1]
	_, _ = m.scale[tileCols-1], m.bias[tileCols-1]
	if kernel {
		m.kernel()
	} else {
		m.portable()
	}
}

func (m floatTile) run(kernel bool) {
	_ = m.out[(tileRows-1)*m.outStride+tileCols-1]
	_ = m.a[(tileRows-1)*m.aStride+m.k-1]
	_ = m.panel[(m.k-1)*m.panelStride+tileCols-1]
	if kernel {
		m.kernel()
	} else {
		m.portable()
	}
}

// chunk is the number of weights of a column that are converted to float at once.
const chunk = 64

// portable converts four columns at a time to float, so that each weight is converted
// once for all rows.
func (m int8Tile) portable() {
	var weights [4 * chunk]float32
	for col := 0; col < tileCols; col += 4 {
		var sums [tileRows][4]float32
		for from := 0; from < m.k; from += chunk {
			n := min(chunk, m.k-from)
			for i := range n {
				w, f := m.panel[(from+i)*tileCols+col:][:4], weights[4*i:][:4]
				f[0], f[1], f[2], f[3] = float32(w[0]), float32(w[1]), float32(w[2]), float32(w[3])
			}
			for r := 0; r < tileRows; r += 2 {
				a := m.a[r*m.aStride+from:]
				pair := sums[r:][:2]
				addProducts(&pair[0], &pair[1], a[:n], a[m.aStride:][:n], weights[:], 4)
			}
		}
		for r, row := range sums {
			out := m.out[r*m.outStride+col:][:4]
			for i, sum := range row {
				out[i] = sum*m.scale[col+i] + m.bias[col+i]
			}
		}
	}
}

func (m floatTile) portable() {
	for col := 0; col < tileCols; col += 4 {
		for r := 0; r < tileRows; r += 2 {
			var sums [2][4]float32
			a := m.a[r*m.aStride:]
			addProducts(&sums[0], &sums[1], a[:m.k], a[m.aStride:][:m.k], m.panel[col:], m.panelStride)
			copy(m.out[r*m.outStride+col:][:4], sums[0][:])
			copy(m.out[(r+1)*m.outStride+col:][:4], sums[1][:])
		}
	}
}

// addProducts adds a · b to ab and c · b to cb, for four columns. The rows of b are
// stride values apart. Eight sums fit into registers and hide the latency of
// additions.
func addProducts(ab, cb *[4]float32, a, c, b []float32, stride int) {
	s0, s1, s2, s3 := ab[0], ab[1], ab[2], ab[3]
	t0, t1, t2, t3 := cb[0], cb[1], cb[2], cb[3]
	c = c[:len(a)]
	for i, x := range a {
		y, w := c[i], b[i*stride:][:4]
		s0 += x * w[0]
		s1 += x * w[1]
		s2 += x * w[2]
		s3 += x * w[3]
		t0 += y * w[0]
		t1 += y * w[1]
		t2 += y * w[2]
		t3 += y * w[3]
	}
	*ab, *cb = [4]float32{s0, s1, s2, s3}, [4]float32{t0, t1, t2, t3}
}
