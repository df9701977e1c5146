package fuel

// rewriteBody is one function with its loop heads and block instructions
// charged. A function that has neither stays as it is.
func (m *meta) rewriteBody(code []byte, params int, refill int32) ([]byte, error) {
	r := &reader{data: code}
	locals, groups := readLocals(r)
	declarations := code[:r.at]
	spare := uint32(params) + locals // index of the one local that is added
	charge := charge{ask: m.ask, fuel: m.fuel, spare: spare, refill: refill}

	var instructions []byte
	charged := false
	for r.err == nil && r.rest() > 0 {
		start := r.at
		op := r.byte()
		sub := r.skipImmediates(op)
		if r.err != nil {
			break
		}
		instruction := code[start:r.at]
		switch {
		case op == opLoop:
			instructions = append(instructions, instruction...)
			instructions = charge.one(instructions)
			charged = true
		case op == opPrefix && (sub == subMemoryCopy || sub == subMemoryFill):
			instructions = charge.block(instructions)
			instructions = append(instructions, instruction...)
			charged = true
		default:
			instructions = append(instructions, instruction...)
		}
	}
	if r.err != nil || !charged {
		return code, r.err
	}
	return append(withSpareLocal(declarations, groups), instructions...), nil
}

// readLocals counts the locals that a body declares, and their groups.
func readLocals(r *reader) (locals uint32, groups uint32) {
	groups = uint32(r.unsigned())
	for range groups {
		locals += uint32(r.unsigned())
		r.byte()
		if r.err != nil {
			break
		}
	}
	return locals, groups
}

// withSpareLocal is the declarations with one i32 more at their end, so that no
// other local changes its index.
func withSpareLocal(declarations []byte, groups uint32) []byte {
	r := &reader{data: declarations}
	r.unsigned()
	out := appendUnsigned(nil, uint64(groups)+1)
	out = append(out, declarations[r.at:]...)
	return append(out, 1, typeI32)
}

// charge writes the instructions that use up fuel.
type charge struct {
	ask, fuel, spare uint32
	refill           int32
}

// one takes one unit.
func (c charge) one(out []byte) []byte {
	out = appendIndex(out, opGlobalGet, c.fuel)
	out = append(out, opI32Const, 1)
	return c.take(out)
}

// block takes a unit for each 64 bytes of the length on top of the stack, which
// stays there.
func (c charge) block(out []byte) []byte {
	out = appendIndex(out, opLocalTee, c.spare)
	out = appendIndex(out, opGlobalGet, c.fuel)
	out = appendIndex(out, opLocalGet, c.spare)
	out = append(out, opI32Const, blockShift, opI32ShrU)
	return c.take(out)
}

// take subtracts the amount on top of the stack from the fuel below it, stores
// the result, and asks the host when none is left. The test is ≤ 0 on a local,
// not = 0 on the global: a trap leaves the global empty, and from 0 the next
// run would count down through four billion.
func (c charge) take(out []byte) []byte {
	out = append(out, opI32Sub)
	out = appendIndex(out, opLocalTee, c.spare)
	out = appendIndex(out, opGlobalSet, c.fuel)
	out = appendIndex(out, opLocalGet, c.spare)
	out = append(out, opI32Const, 0, opI32LeS, opIf, blockVoid)
	out = appendIndex(out, opCall, c.ask)
	out = append(out, opIf, blockVoid, opUnreachable, opEnd, opI32Const)
	out = appendSigned(out, int64(c.refill))
	out = appendIndex(out, opGlobalSet, c.fuel)
	return append(out, opEnd)
}
