package quickjs

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/tetratelabs/wazero/api"
)

// handle is the address of a JavaScript value that the host owns. Each handle that the engine
// returns is new and must be freed once. 0 is not a handle, but all functions accept it.
type handle uint32

// The layout of the scratch area, for arguments and for results that the engine writes to an
// address. One area is enough, because calls of the script do not nest.
const (
	scratchLength    = 0  // three words
	scratchEmpty     = 12 // always 0: an empty C string
	scratchArguments = 16
	scratchUsage     = 64 // 26 numbers of 8 bytes
	scratchSize      = scratchUsage + 26*8
	maxArguments     = (scratchUsage - scratchArguments) / 4
)

var errNoMemory = errors.New("no memory left in the engine")

// scratch returns an address in the scratch area, which is the same in every instance of one
// engine.
func (in *instance) scratch(offset uint32) uint64 { return uint64(in.entries.scratch + offset) }

// tryPlace copies text into the instance, followed by NUL, and returns its address, or 0
// without room. The size of the memory bounds it, not the script's limit.
func (in *instance) tryPlace(text []byte) uint32 {
	p := uint32(in.call(fnMalloc, uint64(len(text)+1)))
	if p != 0 {
		in.memory.Write(p, text)
		in.memory.WriteByte(p+uint32(len(text)), 0)
	}
	return p
}

// place is like tryPlace, for text that the run needs to continue: without room, the instance
// dies.
func (in *instance) place(text string) uint32 {
	p := in.tryPlace([]byte(text))
	if p == 0 {
		in.unwind(errNoMemory)
	}
	return p
}

func (in *instance) release(p uint32) {
	if p != 0 {
		in.call(fnFree, uint64(p))
	}
}

// cString reads a C string.
func (in *instance) cString(p uint32) string {
	rest, _ := in.memory.Read(p, in.memory.Size()-min(p, in.memory.Size()))
	if end := bytes.IndexByte(rest, 0); end >= 0 {
		rest = rest[:end]
	}
	return string(rest)
}

func (in *instance) newString(text string) handle { return in.stringAt(in.place(text), len(text)) }

// stringAt creates a string from the text at p, which it releases.
func (in *instance) stringAt(p uint32, length int) handle {
	b := handle(in.call(fnNewString, uint64(p), uint64(length)))
	in.release(p)
	return b
}

func (in *instance) newNumber(n float64) handle {
	return handle(in.call(fnNewNumber, api.EncodeF64(n)))
}

func (in *instance) newBytes(data []byte) handle {
	p := in.place(string(data))
	b := handle(in.call(fnNewBytes, uint64(p), uint64(len(data))))
	in.release(p)
	return b
}

func (in *instance) duplicate(b handle) handle { return handle(in.call(fnDuplicate, uint64(b))) }

func (in *instance) undefined() handle { return handle(in.call(fnUndefined)) }

func (in *instance) free(handles ...handle) {
	for _, b := range handles {
		if b != 0 {
			in.call(fnFreeValue, uint64(b))
		}
	}
}

// handles reads an array of handles.
func (in *instance) handles(at, count uint32) []handle {
	all := make([]handle, count)
	for i := range all {
		b, _ := in.memory.ReadUint32Le(at + 4*uint32(i))
		all[i] = handle(b)
	}
	return all
}

// integer returns the value of a handle of an integer.
func (in *instance) integer(b handle) int { return int(in.number(b)) }

// number returns the value of a handle of a number.
func (in *instance) number(b handle) float64 {
	raw, _ := in.memory.ReadUint64Le(uint32(b))
	if raw>>32 == 0 { // tag 0: the low half is an int32
		return float64(int32(raw))
	}
	return api.DecodeF64(in.call(fnNumber, uint64(b)))
}

// utf8 returns the UTF-8 of a string, in the memory of the instance. For other values it
// returns nil, because their conversion could run code of the script.
func (in *instance) utf8(b handle) (data []byte, release func()) {
	if in.call(fnIsString, uint64(b)) == 0 {
		return nil, func() {}
	}
	p := uint32(in.call(fnText, uint64(b), in.scratch(scratchLength)))
	if p == 0 {
		return nil, func() {}
	}
	n, _ := in.memory.ReadUint32Le(uint32(in.scratch(scratchLength)))
	data, _ = in.memory.Read(p, n)
	return data, func() { in.call(fnFreeText, uint64(p)) }
}

// ascii reports whether all bytes of a text are ASCII.
func ascii(text []byte) bool {
	for _, b := range text {
		if b >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// text returns the value of a string, with U+FFFD for lone surrogates.
func (in *instance) text(b handle) string {
	h := in.heap()
	if tag, at := h.value(uint32(b)); tag == tagString {
		if content, wide := h.content(at); content != nil && !wide && ascii(content) {
			return string(content)
		}
	}
	data, release := in.utf8(b)
	defer release()
	return strings.ToValidUTF8(string(data), "\uFFFD")
}

// bytesOf returns the content of a typed array, valid until the instance runs again.
func (in *instance) bytesOf(b handle) []byte {
	at := in.scratch(scratchLength)
	buffer := handle(in.call(fnTypedArrayBuffer, uint64(b), at, at+4, at+8))
	if buffer == 0 || in.call(fnIsException, uint64(buffer)) != 0 {
		in.free(buffer, handle(in.call(fnException)))
		return nil
	}
	offset, _ := in.memory.ReadUint32Le(uint32(at))
	length, _ := in.memory.ReadUint32Le(uint32(at) + 4)
	start := uint32(in.call(fnArrayBuffer, uint64(buffer), at))
	in.free(buffer)
	data, _ := in.memory.Read(start+offset, length)
	return data
}

// invoke calls a JavaScript function and frees the arguments. If the function throws,
// thrown is true and the result is an exception.
func (in *instance) invoke(f handle, args ...handle) (result handle, thrown bool) {
	at := uint32(in.scratch(scratchArguments))
	for i, a := range args[:min(len(args), maxArguments)] {
		in.memory.WriteUint32Le(at+4*uint32(i), uint32(a))
	}
	this := in.undefined()
	result, thrown = in.checked(handle(in.call(fnCall, uint64(f), uint64(this), uint64(len(args)), uint64(at))))
	in.free(append(args, this)...)
	return result, thrown
}

// eval compiles and runs a text as a script or module. Results are as in invoke.
func (in *instance) eval(text, file string, flags uint64) (result handle, thrown bool) {
	source, name := in.place(text), in.place(file)
	result, thrown = in.checked(handle(in.call(fnEval, uint64(source), uint64(len(text)), uint64(name), flags)))
	in.release(source)
	in.release(name)
	return result, thrown
}

// parse creates the value of the JSON at p, which it releases. Results are as in invoke.
func (in *instance) parse(p uint32, length int) (result handle, thrown bool) {
	raw := in.call(fnParseJSON, uint64(in.entries.context), uint64(p), uint64(length), in.scratch(scratchEmpty))
	in.release(p)
	result = handle(in.call(fnMalloc, 8))
	if result == 0 {
		in.unwind(errNoMemory)
		return 0, true
	}
	in.memory.WriteUint64Le(uint32(result), raw)
	return in.checked(result)
}

// lenient creates a large value without the garbage collector, which would visit all parts of
// the value several times meanwhile. Afterwards it raises the threshold of the collector by
// the size of the value, at most to half of the heap limit.
func (in *instance) lenient(heapLimit uint64, create func() (handle, bool)) (result handle, thrown bool) {
	threshold, before := in.call(fnThreshold), in.heapSize()
	in.call(fnSetThreshold, heapLimit/2)
	result, thrown = create()
	in.call(fnSetThreshold, max(threshold, min(threshold+in.heapSize()-before, heapLimit/2)))
	return result, thrown
}

// heapSize returns the size of the JavaScript heap in bytes. It reads the memory, because a
// dead instance cannot be called.
func (in *instance) heapSize() uint64 {
	size, _ := in.memory.ReadUint32Le(in.entries.runtime + heapSize)
	return uint64(size)
}

// checked replaces an exception by the value that was thrown, and reports whether it did.
func (in *instance) checked(result handle) (handle, bool) {
	if in.call(fnIsException, uint64(result)) == 0 {
		return result, false
	}
	in.free(result)
	return handle(in.call(fnException)), true
}

// throw makes the current host function throw an Error.
func (in *instance) throw(message string) {
	text, failure := in.newString(message), handle(in.call(fnNewError))
	in.set(failure, "message", text)
	in.free(handle(in.call(fnThrow, uint64(failure))), failure, text)
}

func (in *instance) get(object handle, name string) handle {
	p := in.place(name)
	b := handle(in.call(fnGet, uint64(object), uint64(p)))
	in.release(p)
	return b
}

func (in *instance) set(object handle, name string, value handle) {
	p := in.place(name)
	in.call(fnSet, uint64(object), uint64(p), uint64(value))
	in.release(p)
}
