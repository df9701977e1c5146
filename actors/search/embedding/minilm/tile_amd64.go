package minilm

import "golang.org/x/sys/cpu"

// hasKernel reports whether the CPU supports the kernels.
var hasKernel = cpu.X86.HasAVX2 && cpu.X86.HasFMA

//go:noescape
func tileInt8AVX2(out *float32, outStride uintptr, a *float32, aStride uintptr, panel *int8, k uintptr, scale, bias *float32)

//go:noescape
func tileFloatAVX2(out *float32, outStride uintptr, a *float32, aStride uintptr, panel *float32, panelStride uintptr, k uintptr)

func (m int8Tile) kernel() {
	tileInt8AVX2(&m.out[0], uintptr(m.outStride)*4, &m.a[0], uintptr(m.aStride)*4, &m.panel[0], uintptr(m.k), &m.scale[0], &m.bias[0])
}

func (m floatTile) kernel() {
	tileFloatAVX2(&m.out[0], uintptr(m.outStride)*4, &m.a[0], uintptr(m.aStride)*4, &m.panel[0], uintptr(m.panelStride)*4, uintptr(m.k))
}
