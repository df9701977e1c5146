package fuel

import "fmt"

// Opcodes that the rewriter writes or looks for.
const (
	opUnreachable = 0x00
	opBlock       = 0x02
	opLoop        = 0x03
	opIf          = 0x04
	opEnd         = 0x0b
	opBr          = 0x0c
	opBrIf        = 0x0d
	opBrTable     = 0x0e
	opCall        = 0x10
	opLocalGet    = 0x20
	opLocalTee    = 0x22
	opGlobalGet   = 0x23
	opGlobalSet   = 0x24
	opI32Const    = 0x41
	opI32LeS      = 0x4c
	opI32Sub      = 0x6b
	opI32ShrU     = 0x76
	opPrefix      = 0xfc

	subMemoryCopy = 10
	subMemoryFill = 11

	blockVoid  = 0x40
	typeI32    = 0x7f
	kindGlobal = 0x03
	signBit    = 0x40 // sign bit in the last byte of a LEB128 number
)

// skipImmediates skips the immediates of an instruction that is not a branch. For a prefixed
// instruction, it returns the second opcode.
func (r *reader) skipImmediates(op byte) (sub uint64) {
	switch {
	case op == opBlock || op == opLoop || op == opIf, op == opCall,
		op >= opLocalGet && op <= 0x26, op == 0xd2,
		op == opI32Const || op == 0x42:
		r.skipLEB(1)
	case op == 0x11, op >= 0x28 && op <= 0x3e: // call_indirect, loads and stores
		r.skipLEB(2)
	case op == 0x1c: // select with types
		r.bytes(int(r.unsigned()))
	case op == 0x3f || op == 0x40 || op == 0xd0:
		r.bytes(1)
	case op == 0x43:
		r.bytes(4)
	case op == 0x44:
		r.bytes(8)
	case op == opPrefix:
		return r.skipPrefixed()
	case op <= 0x01, op == 0x05, op == opEnd, op == 0x0f, op == 0x1a, op == 0x1b, op >= 0x45 && op <= 0xc4, op == 0xd1:
	default:
		r.fail(fmt.Errorf("unknown opcode %#x at %d", op, r.at-1))
	}
	return 0
}

func (r *reader) skipPrefixed() (sub uint64) {
	sub = r.unsigned()
	switch {
	case sub <= 7: // saturating conversions
	case sub == 8, sub == subMemoryCopy, sub == 12, sub == 14:
		r.skipLEB(2)
	case sub == 9, sub == subMemoryFill, sub == 13, sub >= 15 && sub <= 17:
		r.skipLEB(1)
	default:
		r.fail(fmt.Errorf("unknown opcode 0xfc %d at %d", sub, r.at))
	}
	return sub
}
