package quickjs

import (
	"bytes"
	"errors"
	"strings"

	"github.com/tetratelabs/wazero/api"
)

// box is the address of a JavaScript value that the host owns. Each box that
// the engine gives is new and is freed once; 0 is no box, and all functions
// take it.
type box uint32

// The image holds a scratch area for the answers that the engine writes to an
// address, and for arguments. Calls of script do not nest, so one is enough.
const (
	scratchLength    = 0 // three words
	scratchArguments = 16
	scratchUsage     = 64 // 26 numbers of 8 bytes
	scratchSize      = scratchUsage + 26*8
	maxArguments     = (scratchUsage - scratchArguments) / 4
)

var errNoMemory = errors.New("no memory left in the engine")

// scratch is the address of the scratch area. The image is built by allocating
// it first, so it is the same in every guest of one engine.
func (g *guest) scratch(offset uint32) uint64 { return uint64(g.entries.scratch + offset) }

// tryPlace copies text into the guest, with a NUL behind it. It gives 0 when
// there is no room: only the size of the whole memory bounds what the host puts
// there, not the script's limit.
func (g *guest) tryPlace(text string) uint32 {
	p := uint32(g.call(fnMalloc, uint64(len(text)+1)))
	if p != 0 {
		g.memory.WriteString(p, text)
		g.memory.WriteByte(p+uint32(len(text)), 0)
	}
	return p
}

// place is tryPlace for what a run cannot do without: the guest dies when there
// is no room.
func (g *guest) place(text string) uint32 {
	p := g.tryPlace(text)
	if p == 0 {
		g.unwind(errNoMemory)
	}
	return p
}

func (g *guest) release(p uint32) {
	if p != 0 {
		g.call(fnFree, uint64(p))
	}
}

// cString reads a C string.
func (g *guest) cString(p uint32) string {
	rest, _ := g.memory.Read(p, g.memory.Size()-min(p, g.memory.Size()))
	if end := bytes.IndexByte(rest, 0); end >= 0 {
		rest = rest[:end]
	}
	return string(rest)
}

func (g *guest) newString(text string) box { return g.stringAt(g.place(text), len(text)) }

// stringAt is a string of placed text, which is released.
func (g *guest) stringAt(p uint32, length int) box {
	b := box(g.call(fnNewString, uint64(p), uint64(length)))
	g.release(p)
	return b
}

func (g *guest) newNumber(n float64) box { return box(g.call(fnNewNumber, api.EncodeF64(n))) }

func (g *guest) newBytes(data []byte) box {
	p := g.place(string(data))
	b := box(g.call(fnNewBytes, uint64(p), uint64(len(data))))
	g.release(p)
	return b
}

func (g *guest) undefined() box { return box(g.call(fnUndefined)) }

func (g *guest) free(boxes ...box) {
	for _, b := range boxes {
		if b != 0 {
			g.call(fnFreeValue, uint64(b))
		}
	}
}

// boxes reads an array of boxes.
func (g *guest) boxes(at, count uint32) []box {
	all := make([]box, count)
	for i := range all {
		b, _ := g.memory.ReadUint32Le(at + 4*uint32(i))
		all[i] = box(b)
	}
	return all
}

// integer is the value of a box that holds a whole number.
func (g *guest) integer(b box) int { return int(g.number(b)) }

// number is the value of a box that holds a number.
func (g *guest) number(b box) float64 {
	raw, _ := g.memory.ReadUint64Le(uint32(b))
	if raw>>32 == 0 { // tag 0: the low half is an int32
		return float64(int32(raw))
	}
	return api.DecodeF64(g.call(fnNumber, uint64(b)))
}

// utf8 is the UTF-8 of a string value inside the guest. For any other
// value it is none, since converting it could run script.
func (g *guest) utf8(b box) (data []byte, release func()) {
	if g.call(fnIsString, uint64(b)) == 0 {
		return nil, func() {}
	}
	p := uint32(g.call(fnText, uint64(b), g.scratch(scratchLength)))
	if p == 0 {
		return nil, func() {}
	}
	n, _ := g.memory.ReadUint32Le(uint32(g.scratch(scratchLength)))
	data, _ = g.memory.Read(p, n)
	return data, func() { g.call(fnFreeText, uint64(p)) }
}

// text is a string value, with U+FFFD for what has no UTF-8.
func (g *guest) text(b box) string {
	data, release := g.utf8(b)
	defer release()
	return strings.ToValidUTF8(string(data), "\uFFFD")
}

// bytesOf is the content of a typed array, valid until the guest runs again.
func (g *guest) bytesOf(b box) []byte {
	at := g.scratch(scratchLength)
	buffer := box(g.call(fnTypedArrayBuffer, uint64(b), at, at+4, at+8))
	if buffer == 0 || g.call(fnIsException, uint64(buffer)) != 0 {
		g.free(buffer, box(g.call(fnException)))
		return nil
	}
	offset, _ := g.memory.ReadUint32Le(uint32(at))
	length, _ := g.memory.ReadUint32Le(uint32(at) + 4)
	start := uint32(g.call(fnArrayBuffer, uint64(buffer), at))
	g.free(buffer)
	data, _ := g.memory.Read(start+offset, length)
	return data
}

// invoke calls a JavaScript function. The result is an exception, and thrown is
// true, when it threw. The arguments are freed.
func (g *guest) invoke(f box, args ...box) (result box, thrown bool) {
	at := uint32(g.scratch(scratchArguments))
	for i, a := range args[:min(len(args), maxArguments)] {
		g.memory.WriteUint32Le(at+4*uint32(i), uint32(a))
	}
	this := g.undefined()
	result, thrown = g.checked(box(g.call(fnCall, uint64(f), uint64(this), uint64(len(args)), uint64(at))))
	g.free(append(args, this)...)
	return result, thrown
}

// eval compiles and runs a text.
func (g *guest) eval(text, file string, flags uint64) (result box, thrown bool) {
	source, name := g.place(text), g.place(file)
	result, thrown = g.checked(box(g.call(fnEval, uint64(source), uint64(len(text)), uint64(name), flags)))
	g.release(source)
	g.release(name)
	return result, thrown
}

// checked turns an exception into the value that was thrown.
func (g *guest) checked(result box) (box, bool) {
	if g.call(fnIsException, uint64(result)) == 0 {
		return result, false
	}
	g.free(result)
	return box(g.call(fnException)), true
}

// throw makes the host function that is running throw an Error.
func (g *guest) throw(message string) {
	text, failure := g.newString(message), box(g.call(fnNewError))
	g.set(failure, "message", text)
	g.free(box(g.call(fnThrow, uint64(failure))), failure, text)
}

func (g *guest) get(object box, name string) box {
	p := g.place(name)
	b := box(g.call(fnGet, uint64(object), uint64(p)))
	g.release(p)
	return b
}

func (g *guest) set(object box, name string, value box) {
	p := g.place(name)
	g.call(fnSet, uint64(object), uint64(p), uint64(value))
	g.release(p)
}
