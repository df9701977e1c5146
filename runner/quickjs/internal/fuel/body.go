package fuel

import "fmt"

// rewriteBody is one function with its loop heads and block instructions
// charged. A function that has neither stays as it is.
func (m *meta) rewriteBody(code []byte, params int, refill int32) ([]byte, error) {
	r := &reader{data: code}
	locals, groups := readLocals(r)
	declarations := code[:r.at]
	w := writer{meta: m, open: []uint32{1}} // a branch can lead to the end of the function too
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
	// open are the blocks around the next instruction, the innermost last: each is
	// the number of labels that it has here. It had one.
	open []uint32
}

// instruction copies one instruction, with what it has to pay.
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

// branch copies a branch with its labels counted anew.
func (w *writer) branch(op byte, r *reader) {
	w.out = append(w.out, op)
	labels := uint64(1)
	if op == opBrTable {
		labels += r.unsigned() // and the default
		w.out = appendUnsigned(w.out, labels-1)
	}
	for range labels {
		w.out = appendUnsigned(w.out, w.label(r))
		if r.err != nil {
			return
		}
	}
}

// label reads a label and counts it anew.
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

// loopLabels are the labels that a loop has when its question is moved away.
const loopLabels = 4

// loop begins a loop, which pays at its head. The question is moved behind it:
//
//	block                 ;; left when the loop ends
//	  loop                ;; begun again when there is fuel again
//	    block             ;; left when there is none
//	      loop
//	        pay; br_if 1
//	        …
//	      end
//	      br 2
//	    end
//	    ask; br 0
//	  end
//	end
//
// At the head itself, wazero 1.12 takes the registers as they are after a
// question for those of every turn: each then loads anew what the loop counts,
// also where nothing is asked. That cost most programs 4 to 8 % of their time, and
// this costs 1 to 4. A loop with parameters, which no C compiler writes, must do
// with it.
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

// end ends the innermost block.
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

// blockParams is the number of parameters of a block.
func (m *meta) blockParams(blockType []byte) (int, error) {
	if blockType[len(blockType)-1]&signBit != 0 { // no type of a function: at most a result
		return 0, nil
	}
	index := (&reader{data: blockType}).unsigned()
	if index >= uint64(len(m.params)) {
		return 0, fmt.Errorf("a loop of type %d, of which there is none", index)
	}
	return m.params[index], nil
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
