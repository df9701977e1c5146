package fuel

// charge writes the instructions that use fuel.
type charge struct {
	ask, fuel, spare uint32
	refill           int32
}

// head uses one unit of fuel and pushes whether the fuel is used up.
func (c charge) head(out []byte) []byte {
	out = appendIndex(out, opGlobalGet, c.fuel)
	out = append(out, opI32Const, 1)
	return c.take(out)
}

// one uses one unit of fuel and calls the host if the fuel is used up.
func (c charge) one(out []byte) []byte { return c.orAsk(c.head(out)) }

// block uses one unit of fuel for each 64 bytes of the length on top of the stack, which it
// keeps, and calls the host if the fuel is used up.
func (c charge) block(out []byte) []byte {
	out = appendIndex(out, opLocalTee, c.spare)
	out = appendIndex(out, opGlobalGet, c.fuel)
	out = appendIndex(out, opLocalGet, c.spare)
	out = append(out, opI32Const, blockShift, opI32ShrU)
	return c.orAsk(c.take(out))
}

// take pops an amount and the fuel, stores their difference, and pushes whether the fuel is
// used up. It tests the local for ≤ 0, not the global for 0: after a trap the global stays at
// 0, and the next run would count down through four billion.
func (c charge) take(out []byte) []byte {
	out = append(out, opI32Sub)
	out = appendIndex(out, opLocalTee, c.spare)
	out = appendIndex(out, opGlobalSet, c.fuel)
	out = appendIndex(out, opLocalGet, c.spare)
	return append(out, opI32Const, 0, opI32LeS)
}

func (c charge) orAsk(out []byte) []byte {
	out = append(out, opIf, blockVoid)
	return append(c.question(out), opEnd)
}

// question calls the host, which stops the module or refills the fuel.
func (c charge) question(out []byte) []byte {
	out = appendIndex(out, opCall, c.ask)
	out = append(out, opIf, blockVoid, opUnreachable, opEnd, opI32Const)
	out = appendSigned(out, int64(c.refill))
	return appendIndex(out, opGlobalSet, c.fuel)
}
