package quickjs

import "encoding/binary"

// jsHeap reads values directly from the memory of the engine. This takes a tenth of the time
// of the engine's functions and does not run code of the script. It is valid until the
// instance runs again. The memory may contain anything, because the script may have attacked
// the engine: addresses outside of the memory read as zeros.
type jsHeap struct {
	memory []byte
	atoms  uint32 // address of the table of property names
}

func (in *instance) heap() jsHeap {
	memory, _ := in.memory.Read(0, in.memory.Size())
	h := jsHeap{memory: memory}
	h.atoms = h.word(in.entries.runtime + atomTable)
	return h
}

func (h jsHeap) word(at uint32) uint32 {
	if uint64(at)+4 > uint64(len(h.memory)) {
		return 0
	}
	return binary.LittleEndian.Uint32(h.memory[at:])
}

// value reads a JavaScript value: its tag and its address or number.
func (h jsHeap) value(at uint32) (tag int32, payload uint32) {
	return int32(h.word(at + 4)), h.word(at)
}

// bytes returns a part of the memory, or nil if it is outside.
func (h jsHeap) bytes(at, size uint64) []byte {
	if at+size > uint64(len(h.memory)) {
		return nil
	}
	return h.memory[at : at+size]
}

// Tags of values. All others are numbers.
const (
	tagBigInt    = -9 // the lowest tag
	tagString    = -7
	tagObject    = -1
	tagInt       = 0
	tagBool      = 1
	tagNull      = 2
	tagUndefined = 3
	tagFloat     = 8          // the first tag of numbers
	floatAddend  = 0x7ff8000a // added to the upper half of a float64
	classObject  = 1
	flagBits     = 0xffff01ff // mask of the meaningful bits of flags and class
	classArray   = 2
	exotic       = 1 << 3
	fastArray    = 1 << 4
	enumerable   = 1 << 2
	notValue     = 3 << 4 // set for properties without a plain value, such as getters
	integerAtom  = 1 << 31
	stringAtom   = 1 // the type of atoms that are not symbols
)

// Offsets in the objects, shapes and strings of this version of the engine. The reference
// count of an object is at the address before it.
const (
	referenceCount = 4

	objectFlags  = 8 // flags in the first byte; the class in the upper half
	objectShape  = 12
	objectProps  = 16
	objectWeak   = 20
	arrayValues  = 28
	arrayLength  = 32
	shapeMask    = 16
	shapeCount   = 24
	shapeProto   = 36
	shapeTable   = 40
	stringHash   = 4
	stringText   = 24
	sliceStart   = 28
	propertySize = 8
)

// object is the header of a JavaScript object.
type object struct {
	flags        byte
	class        uint16
	shape, props uint32
}

func (h jsHeap) object(at uint32) object {
	head := h.word(at + objectFlags)
	return object{flags: byte(head), class: uint16(head >> 16), shape: h.word(at + objectShape), props: h.word(at + objectProps)}
}

// content returns the content of a string: Latin-1, or UTF-16 if wide.
func (h jsHeap) content(at uint32) (content []byte, wide bool) {
	length, kind := uint64(h.word(at)), h.word(at+stringHash)>>28&3
	if wide = length>>31 != 0; wide {
		length = length & (1<<31 - 1) * 2
	}
	start := uint64(at) + stringText
	switch kind {
	case 1: // a part of another string
		start = uint64(h.word(at+stringText)) + stringText + uint64(h.word(at+sliceStart))
	case 2:
		start = uint64(h.word(at + stringText))
	}
	return h.bytes(start, length), wide
}

// elements returns the addresses of the objects in an array, at most 31.
func (h jsHeap) elements(of handle) []uint32 {
	_, at := h.value(uint32(of))
	all := make([]uint32, min(h.word(at+arrayLength), 31))
	for i := range all {
		_, all[i] = h.value(h.word(at+arrayValues) + 8*uint32(i))
	}
	return all
}

// held returns a bit mask of the promises that the script can still reach or has changed, or
// whose results it can still reach or has changed. Element 0 of each array is an unchanged
// example. For all other promises, the only reference to the promise comes from the array
// promises, and the only two references to its result come from the array results and the promise.
func (h jsHeap) held(promises, results handle) (bits int) {
	ps, rs := h.elements(promises), h.elements(results)
	for i := 1; i < len(ps) && i < len(rs); i++ {
		if !h.idle(ps[i], ps[0], 1) || !h.idle(rs[i], rs[0], 2) {
			bits |= 1 << i
		}
	}
	return bits
}

// idle reports whether an object has the given number of references, no weak references, and the
// same properties as the example.
func (h jsHeap) idle(at, example, references uint32) bool {
	return h.word(at-referenceCount) == references && h.word(at+objectWeak) == 0 &&
		(h.word(at+objectFlags)^h.word(example+objectFlags))&flagBits == 0 && h.word(at+objectShape) == h.word(example+objectShape)
}
