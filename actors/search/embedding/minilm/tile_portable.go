//go:build !amd64

package minilm

const hasKernel = false

// The kernels are written for amd64 only.
func (m int8Tile) kernel() { m.portable() }

func (m floatTile) kernel() { m.portable() }
