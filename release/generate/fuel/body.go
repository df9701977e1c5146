package fuel

import "fmt"

// rewriteBody rewrites one function so that loop heads and block instructions use fuel. A function without such
// instructions is returned unchanged.
func (m *meta) rewriteBody(code []byte, params int, refill int32) ([]byte, error) {
	r := &reader{data: code}
	locals, groups := readLocals(r)
	declarations := code[:r.at]
	w := writer{meta: m, open: []uint32{1}} // the first entry is the function itself: a branch can go to its end
	w.charge = charge{ask: m.ask, fuel: m.fuel, spare: uint32(params) + locals, refill: refill}
	for r.err == nil && r.rest() > 0 {
		w.instruction(r)
	}
	if r.err != nil || !w.charged {
		return code, r.err
	}
	return append(withSpareLocal(declarations, groups), w.out...), nil
}

// writer writes the instructions of one function.
type writer struct {
	*meta
	charge  charge
	charged bool
	out     []byte
	// open has an entry for each block that encloses the next instruction, the innermost
	// last: the number of labels of the rewritten block. The original block had one label.
	open []uint32
}

// instruction copies one instruction, and adds the code that uses fuel for it.
func (w *writer) instruction(r *reader) {
	start := r.at
	op := r.byte()
	if op == opBr || op == opBrIf || op == opBrTable {
		w.branch(op, r)
		return
	}
	sub := r.skipImmediates(op)
	if r.err != nil {
		return
	}
	instruction := r.data[start:r.at]
	switch {
	case op == opLoop:
		w.loop(instruction[1:], r)
		return
	case op == opBlock || op == opIf:
		w.open = append(w.open, 1)
	case op == opEnd:
		w.end(r)
		return
	case op == opPrefix && (sub == subMemoryCopy || sub == subMemoryFill):
		w.out = w.charge.block(w.out)
		w.charged = true
	}
	w.out = append(w.out, instruction...)
}

// branch copies a branch and recomputes its labels.
func (w *writer) branch(op byte, r *reader) {
	w.out = append(w.out, op)
	labels := uint64(1)
	if op == opBrTable {
		labels += r.unsigned() // plus the default label
		w.out = appendUnsigned(w.out, labels-1)
	}
	for range labels {
		w.out = appendUnsigned(w.out, w.label(r))
		if r.err != nil {
			return
		}
	}
}

// label reads a label and returns its number in the rewritten function.
func (w *writer) label(r *reader) (label uint64) {
	depth := r.unsigned()
	if depth >= uint64(len(w.open)) {
		r.fail(fmt.Errorf("a branch out of %d blocks at %d", depth, r.at))
		return 0
	}
	for _, labels := range w.open[len(w.open)-int(depth):] {
		label += uint64(labels)
	}
	return label
}

// loopLabels is the number of labels of a rewritten loop whose call of the host is after it.
const loopLabels = 4

// loop writes the beginning of a loop, which uses fuel at its head. The call of the host is
// after the loop:
//
//	block                 ;; left at the end of the loop
//	  loop                ;; continues after a refill
//	    block             ;; left when the fuel is used up
//	      loop
//	        use fuel; br_if 1
//	        …
//	      end
//	      br 2
//	    end
//	    call the host; br 0
//	  end
//	end
//
// If the call of the host is in the loop head, wazero 1.12 uses the register state after the
// call for every iteration: each iteration then reloads the loop's variables, even without a
// call. This costs most programs 4 to 8 % of their time; the form above costs 1 to 4 %. Loops
// with parameters keep the call in the head; no C compiler generates such loops.
func (w *writer) loop(blockType []byte, r *reader) {
	w.charged = true
	params, err := w.blockParams(blockType)
	if err != nil {
		r.fail(err)
		return
	}
	if params > 0 {
		w.open = append(w.open, 1)
		w.begin(opLoop, blockType)
		w.out = w.charge.one(w.out)
		return
	}
	w.open = append(w.open, loopLabels)
	w.begin(opBlock, blockType)
	w.begin(opLoop, blockType)
	w.begin(opBlock, []byte{blockVoid})
	w.begin(opLoop, blockType)
	w.out = append(w.charge.head(w.out), opBrIf, 1)
}

func (w *writer) begin(op byte, blockType []byte) {
	w.out = append(append(w.out, op), blockType...)
}

// end writes the end of the innermost block.
func (w *writer) end(r *reader) {
	last := len(w.open) - 1
	if last < 0 {
		r.fail(fmt.Errorf("an end without a beginning at %d", r.at))
		return
	}
	w.out = append(w.out, opEnd)
	if w.open[last] == loopLabels {
		w.out = append(w.out, opBr, 2, opEnd)
		w.out = append(w.charge.question(w.out), opBr, 0, opEnd, opEnd)
	}
	w.open = w.open[:last]
}

// blockParams returns the number of parameters of a block.
func (m *meta) blockParams(blockType []byte) (int, error) {
	if blockType[len(blockType)-1]&signBit != 0 { // not a function type: no parameters, at most one result
		return 0, nil
	}
	index := (&reader{data: blockType}).unsigned()
	if index >= uint64(len(m.params)) {
		return 0, fmt.Errorf("a loop of the unknown type %d", index)
	}
	return m.params[index], nil
}

// readLocals returns the number of locals that a body declares, and the number of
// their groups.
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

// withSpareLocal adds an i32 at the end of the declarations, so that the other locals keep
// their indexes.
func withSpareLocal(declarations []byte, groups uint32) []byte {
	r := &reader{data: declarations}
	r.unsigned()
	out := appendUnsigned(nil, uint64(groups)+1)
	out = append(out, declarations[r.at:]...)
	return append(out, 1, typeI32)
}
