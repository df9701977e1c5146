//go:build amd64

#include "textflag.h"

// Both tiles multiply 6 rows of activations by a panel of 16 columns. The 12 sums stay
// in Y4..Y15, two registers per row. Each step of k has 12 multiplications, 2 loads of
// the panel and 6 broadcasts, so the two ports for multiplication are the limit, not
// the two ports for loads.
//
// SI and R9 point to rows 0 and 3 of a. R8 is the distance between its rows in bytes.

#define ZERO \
	VXORPS Y4, Y4, Y4 \
	VXORPS Y5, Y5, Y5 \
	VXORPS Y6, Y6, Y6 \
	VXORPS Y7, Y7, Y7 \
	VXORPS Y8, Y8, Y8 \
	VXORPS Y9, Y9, Y9 \
	VXORPS Y10, Y10, Y10 \
	VXORPS Y11, Y11, Y11 \
	VXORPS Y12, Y12, Y12 \
	VXORPS Y13, Y13, Y13 \
	VXORPS Y14, Y14, Y14 \
	VXORPS Y15, Y15, Y15

// STEP adds one k: the panel's 16 values are in Y0 and Y1.
#define STEP \
	VBROADCASTSS (SI), Y2 \
	VBROADCASTSS (SI)(R8*1), Y3 \
	VFMADD231PS Y0, Y2, Y4 \
	VFMADD231PS Y1, Y2, Y5 \
	VFMADD231PS Y0, Y3, Y6 \
	VFMADD231PS Y1, Y3, Y7 \
	VBROADCASTSS (SI)(R8*2), Y2 \
	VBROADCASTSS (R9), Y3 \
	VFMADD231PS Y0, Y2, Y8 \
	VFMADD231PS Y1, Y2, Y9 \
	VFMADD231PS Y0, Y3, Y10 \
	VFMADD231PS Y1, Y3, Y11 \
	VBROADCASTSS (R9)(R8*1), Y2 \
	VBROADCASTSS (R9)(R8*2), Y3 \
	VFMADD231PS Y0, Y2, Y12 \
	VFMADD231PS Y1, Y2, Y13 \
	VFMADD231PS Y0, Y3, Y14 \
	VFMADD231PS Y1, Y3, Y15 \
	ADDQ $4, SI \
	ADDQ $4, R9

// STORE writes the sums to the 6 rows at DX, R10 bytes apart.
#define STORE \
	LEAQ (R10)(R10*2), R11 \
	ADDQ DX, R11 \
	VMOVUPS Y4, (DX) \
	VMOVUPS Y5, 32(DX) \
	VMOVUPS Y6, (DX)(R10*1) \
	VMOVUPS Y7, 32(DX)(R10*1) \
	VMOVUPS Y8, (DX)(R10*2) \
	VMOVUPS Y9, 32(DX)(R10*2) \
	VMOVUPS Y10, (R11) \
	VMOVUPS Y11, 32(R11) \
	VMOVUPS Y12, (R11)(R10*1) \
	VMOVUPS Y13, 32(R11)(R10*1) \
	VMOVUPS Y14, (R11)(R10*2) \
	VMOVUPS Y15, 32(R11)(R10*2) \
	VZEROUPPER

// func tileInt8AVX2(out *float32, outStride uintptr, a *float32, aStride uintptr, panel *int8, k uintptr, scale, bias *float32)
TEXT ·tileInt8AVX2(SB), NOSPLIT, $0-64
	MOVQ out+0(FP), DX
	MOVQ outStride+8(FP), R10
	MOVQ a+16(FP), SI
	MOVQ aStride+24(FP), R8
	MOVQ panel+32(FP), DI
	MOVQ k+40(FP), CX
	LEAQ (R8)(R8*2), R9
	ADDQ SI, R9
	ZERO

int8loop:
	VPMOVSXBD (DI), Y0
	VPMOVSXBD 8(DI), Y1
	VCVTDQ2PS Y0, Y0
	VCVTDQ2PS Y1, Y1
	STEP
	ADDQ $16, DI
	DECQ CX
	JNZ  int8loop

	MOVQ scale+48(FP), AX
	MOVQ bias+56(FP), BX
	VMOVUPS (AX), Y0
	VMOVUPS 32(AX), Y1
	VMOVUPS (BX), Y2
	VMOVUPS 32(BX), Y3
	VFMADD213PS Y2, Y0, Y4
	VFMADD213PS Y3, Y1, Y5
	VFMADD213PS Y2, Y0, Y6
	VFMADD213PS Y3, Y1, Y7
	VFMADD213PS Y2, Y0, Y8
	VFMADD213PS Y3, Y1, Y9
	VFMADD213PS Y2, Y0, Y10
	VFMADD213PS Y3, Y1, Y11
	VFMADD213PS Y2, Y0, Y12
	VFMADD213PS Y3, Y1, Y13
	VFMADD213PS Y2, Y0, Y14
	VFMADD213PS Y3, Y1, Y15
	STORE
	RET

// func tileFloatAVX2(out *float32, outStride uintptr, a *float32, aStride uintptr, panel *float32, panelStride uintptr, k uintptr)
TEXT ·tileFloatAVX2(SB), NOSPLIT, $0-56
	MOVQ out+0(FP), DX
	MOVQ outStride+8(FP), R10
	MOVQ a+16(FP), SI
	MOVQ aStride+24(FP), R8
	MOVQ panel+32(FP), DI
	MOVQ panelStride+40(FP), BX
	MOVQ k+48(FP), CX
	LEAQ (R8)(R8*2), R9
	ADDQ SI, R9
	ZERO

floatloop:
	VMOVUPS (DI), Y0
	VMOVUPS 32(DI), Y1
	STEP
	ADDQ BX, DI
	DECQ CX
	JNZ  floatloop

	STORE
	RET
