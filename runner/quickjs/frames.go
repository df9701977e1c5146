package quickjs

import (
	"encoding/binary"
	"strconv"
	"strings"
	"unicode/utf16"
)

// A frame is a running function, as the engine's stack has it.
type frame struct {
	function uint32 // address of the function object
	code     uint32 // address of its bytecode; 0 if the function is native
	at       uint32 // offset in the bytecode, after the current instruction
}

// maxFrames bounds the frames of a call. The engine's own traces have ten; a call begins in at most
// four functions of the prelude.
const maxFrames = 14

// Offsets in the frames, functions and bytecodes of this version of the engine.
const (
	topFrame      = 660 // from the runtime: address of the innermost frame; a frame begins with the address of the next
	frameFunction = 8
	framePlace    = 28 // address of the current instruction
	functionCode  = 24
	codeStart     = 12
	codeName      = 20
	codeFile      = 56
	codeLine      = 60
	codeColumn    = 64
	codePlaces    = 72 // size of the table of positions; its address follows

	classFunction      = 13
	classGenerator     = 17
	classAsync         = 55
	classAsyncGenerate = 59
)

// frames returns the functions that run now, the innermost first. It takes a fraction of the time of an Error
// object, for which the engine writes the trace as text.
func (h jsHeap) frames(runtime uint32) []frame {
	var all [maxFrames]frame
	n := 0
	for at := h.word(runtime + topFrame); at != 0 && n < maxFrames; at = h.word(at) {
		_, function := h.value(at + frameFunction)
		f := frame{function: function}
		if f.code = h.code(function); f.code != 0 {
			f.at = h.word(at+framePlace) - h.word(f.code+codeStart)
		}
		all[n] = f
		n++
	}
	return append([]frame(nil), all[:n]...)
}

// code returns the address of the bytecode of a function; 0 if it is native.
func (h jsHeap) code(function uint32) uint32 {
	switch h.object(function).class {
	case classFunction, classGenerator, classAsync, classAsyncGenerate:
		return h.word(function + functionCode)
	}
	return 0
}

// trace returns frames in the format of the engine's traces. It leaves out frames of the prelude before the first
// frame of the script. The bytecode of a script stays in memory as long as its run.
func (h jsHeap) trace(frames []frame) string {
	var out strings.Builder
	for _, f := range frames {
		file := ""
		if f.code != 0 {
			file = h.atom(h.word(f.code + codeFile))
		}
		if out.Len() == 0 && (f.code == 0 || strings.HasPrefix(file, ownFiles)) {
			continue
		}
		name := h.functionName(f)
		if name == "" {
			name = "<anonymous>"
		}
		out.WriteString("    at " + name + " (")
		if f.code == 0 {
			out.WriteString("native)\n")
			continue
		}
		line, column := h.place(f)
		out.WriteString(file + ":" + strconv.Itoa(line) + ":" + strconv.Itoa(column) + ")\n")
	}
	return out.String()
}

// functionName returns the property "name" of a function if it is a string. The engine may have freed the function
// object and reused its memory, so that its bytecode differs; then functionName returns the name in the source.
func (h jsHeap) functionName(f frame) string {
	if h.code(f.function) != f.code {
		return h.atom(h.word(f.code + codeName))
	}
	o := h.object(f.function)
	properties := o.shape + shapeTable + 4*(h.word(o.shape+shapeMask)+1)
	for i := range min(h.word(o.shape+shapeCount), 16) {
		flags, atom := h.word(properties+8*i)>>26, h.word(properties+8*i+4)
		if flags&notValue != 0 || h.atom(atom) != "name" {
			continue
		}
		if tag, text := h.value(o.props + propertySize*i); tag == tagString {
			return h.string(text)
		}
		return ""
	}
	return ""
}

// atom returns the text of a property name or of another constant text.
func (h jsHeap) atom(atom uint32) string {
	if atom == 0 || atom&integerAtom != 0 {
		return ""
	}
	return h.string(h.word(h.atoms + 4*atom))
}

// maxText bounds a text of a trace, in bytes: a script can give a function a name of many megabytes.
const maxText = 1 << 10

// string returns the text of a string, cut to maxText.
func (h jsHeap) string(at uint32) string {
	content, wide := h.content(at)
	content = content[:min(len(content), maxText)]
	units := make([]uint16, 0, len(content))
	for i := 0; i < len(content); i++ {
		if !wide {
			units = append(units, uint16(content[i]))
		} else if i%2 == 1 {
			units = append(units, binary.LittleEndian.Uint16(content[i-1:]))
		}
	}
	return string(utf16.Decode(units))
}

// The encoding of the table of positions. Each step has the differences of offset, line and column to the previous
// one. In most steps, one byte contains the differences of offset and line.
const (
	stepLines     = 5  // number of different line differences in one byte
	stepFirstLine = -1 // the smallest of them
)

// place returns the line and column of a frame. It adds the differences in the table of positions up to the
// current instruction.
func (h jsHeap) place(f frame) (line, column int) {
	table := h.bytes(uint64(h.word(f.code+codePlaces+4)), uint64(h.word(f.code+codePlaces)))
	line, column = int(int32(h.word(f.code+codeLine))), int(int32(h.word(f.code+codeColumn)))
	for at := 0; len(table) > 0; {
		step := int(table[0])
		table = table[1:]
		lines := 0
		if step == 0 {
			at += int(leb128(&table))
			lines = signed(leb128(&table))
		} else {
			at += (step - 1) / stepLines
			lines = (step-1)%stepLines + stepFirstLine
		}
		columns := signed(leb128(&table))
		if int(f.at)-1 < at {
			break
		}
		line += lines
		column += columns
	}
	return line, column
}

// leb128 consumes a number in the form LEB128.
func leb128(table *[]byte) (n uint32) {
	for shift := 0; len(*table) > 0 && shift < 35; shift += 7 {
		b := (*table)[0]
		*table = (*table)[1:]
		n |= uint32(b&0x7f) << shift
		if b < 0x80 {
			break
		}
	}
	return n
}

// signed undoes the zigzag encoding of a number with a sign.
func signed(n uint32) int { return int(int32(n>>1) ^ -int32(n&1)) }
