package quickjs

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	maxPlainDepth = 200
	maxPlainSteps = 1 << 25 // values and properties, shared ones counted each time
)

// plainJSON encodes a value in the same way as the prelude. It returns false for values that
// need the engine: values with getters, toJSON or a class, values that JSON cannot express,
// and some rare ones.
func (in *instance) plainJSON(of handle, limit int64) (json.RawMessage, bool) {
	w := jsonWriter{jsHeap: in.heap(), in: in, limit: int(limit), shapes: map[uint32]*plainShape{}}
	if limit <= 0 {
		w.limit = math.MaxInt32
	}
	ok := w.append(uint32(of), 0)
	return w.out, ok && len(w.out) <= w.limit
}

// jsonWriter encodes values as JSON. Its methods return false to give up.
type jsonWriter struct {
	jsHeap
	in     *instance
	out    []byte
	limit  int // maximal length of out
	steps  int
	shapes map[uint32]*plainShape
}

// plainShape describes the properties of all objects with the same shape.
type plainShape struct {
	plain bool
	names []plainName
}

type plainName struct {
	at  uint32 // offset of the value in the properties
	key []byte // name as JSON, with a colon
}

func (w *jsonWriter) append(at uint32, depth int) bool {
	if w.steps++; w.steps > maxPlainSteps || len(w.out) > w.limit || depth > maxPlainDepth {
		return false
	}
	tag, payload := w.value(at)
	switch {
	case tag == tagInt:
		w.out = strconv.AppendInt(w.out, int64(int32(payload)), 10)
	case tag == tagBool && payload != 0:
		w.out = append(w.out, "true"...)
	case tag == tagBool:
		w.out = append(w.out, "false"...)
	case tag == tagNull:
		w.out = append(w.out, "null"...)
	case tag == tagString && int(w.word(payload)&(1<<31-1)) > w.limit:
		return false
	case tag == tagString:
		w.text(payload)
	case tag == tagObject:
		return w.container(payload, depth)
	case tag >= tagBigInt && tag < tagFloat:
		return false
	default:
		return w.number(math.Float64frombits(uint64(uint32(tag)+floatAddend)<<32 | uint64(payload)))
	}
	return true
}

func (w *jsonWriter) number(f float64) bool {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return false
	case f == math.Trunc(f) && math.Abs(f) < 1<<53:
		w.out = strconv.AppendInt(w.out, int64(f), 10)
	default:
		text, err := json.Marshal(f) // json formats numbers like JavaScript
		w.out = append(w.out, text...)
		return err == nil
	}
	return true
}

func (w *jsonWriter) container(at uint32, depth int) bool {
	switch o := w.object(at); {
	case o.class == classArray && o.flags&fastArray != 0:
		return w.array(at, o, depth)
	case o.class == classObject && o.flags&exotic == 0:
		return w.members(o, depth)
	}
	return false
}

// array writes an array that has no holes, and no properties besides its length.
func (w *jsonWriter) array(at uint32, o object, depth int) bool {
	count := w.word(at + arrayLength)
	tag, length := w.value(o.props)
	if w.word(o.shape+shapeProto) != w.in.entries.arrays || w.word(o.shape+shapeCount) != 1 || tag != tagInt || length != count {
		return false
	}
	values := w.word(at + arrayValues)
	w.out = append(w.out, '[')
	for i := range count {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		if !w.append(values+8*i, depth+1) {
			return false
		}
	}
	w.out = append(w.out, ']')
	return true
}

func (w *jsonWriter) members(o object, depth int) bool {
	s := w.shapes[o.shape]
	if s == nil {
		s = w.plainShape(o.shape)
		w.shapes[o.shape] = s
	}
	if !s.plain {
		return false
	}
	w.steps += len(s.names)
	w.out = append(w.out, '{')
	first := true
	for _, name := range s.names {
		if tag, _ := w.value(o.props + name.at); tag == tagUndefined {
			continue
		}
		if !first {
			w.out = append(w.out, ',')
		}
		first = false
		w.out = append(w.out, name.key...)
		if !w.append(o.props+name.at, depth+1) {
			return false
		}
	}
	w.out = append(w.out, '}')
	return true
}

// plainShape reads the property names of a shape. Integer names are not plain, because
// JSON.stringify sorts them.
func (w *jsonWriter) plainShape(at uint32) *plainShape {
	s := &plainShape{}
	if proto := w.word(at + shapeProto); proto != w.in.entries.objects && proto != 0 {
		return s
	}
	count := w.word(at + shapeCount)
	if w.steps += int(count); w.steps > maxPlainSteps {
		return s
	}
	properties := at + shapeTable + 4*(w.word(at+shapeMask)+1)
	symbols := false
	for i := range count {
		flags, atom := w.word(properties+8*i)>>26, w.word(properties+8*i+4)
		if atom == 0 { // deleted
			continue
		}
		text := w.word(w.atoms + 4*atom)
		name, wide := w.content(text)
		if flags&notValue != 0 || atom&integerAtom != 0 || !wide && string(name) == "toJSON" {
			return s
		}
		symbol := w.word(text+stringHash)>>30 != stringAtom
		if symbols = symbols || symbol; symbol || flags&enumerable == 0 {
			continue
		}
		before := len(w.out)
		w.text(text)
		key := append(bytes.Clone(w.out[before:]), ':')
		w.out = w.out[:before]
		s.names = append(s.names, plainName{propertySize * i, key})
	}
	s.plain = len(s.names) > 0 || !symbols // the prelude warns about an object with only symbols
	return s
}

const hexDigits = "0123456789abcdef"

// text writes a string.
func (w *jsonWriter) text(at uint32) {
	content, wide := w.content(at)
	w.out = append(w.out, '"')
	if wide {
		w.wide(content)
	} else {
		w.latin(content)
	}
	w.out = append(w.out, '"')
}

func (w *jsonWriter) latin(content []byte) {
	from := 0
	for i, c := range content {
		if c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' {
			continue
		}
		w.out = append(w.out, content[from:i]...)
		from = i + 1
		w.character(rune(c))
	}
	w.out = append(w.out, content[from:]...)
}

func (w *jsonWriter) wide(content []byte) {
	for ; len(content) >= 2; content = content[2:] {
		c := rune(binary.LittleEndian.Uint16(content))
		if utf16.IsSurrogate(c) && len(content) >= 4 {
			if pair := utf16.DecodeRune(c, rune(binary.LittleEndian.Uint16(content[2:]))); pair != utf8.RuneError {
				c, content = pair, content[2:]
			}
		}
		w.character(c)
	}
}

// character writes a character, escaped if necessary.
func (w *jsonWriter) character(c rune) {
	switch c {
	case '"', '\\':
		w.out = append(w.out, '\\', byte(c))
	case '\b':
		w.out = append(w.out, '\\', 'b')
	case '\t':
		w.out = append(w.out, '\\', 't')
	case '\n':
		w.out = append(w.out, '\\', 'n')
	case '\f':
		w.out = append(w.out, '\\', 'f')
	case '\r':
		w.out = append(w.out, '\\', 'r')
	default:
		if c >= ' ' {
			w.out = utf8.AppendRune(w.out, c) // U+FFFD for half of a surrogate pair
			return
		}
		w.out = append(w.out, '\\', 'u', hexDigits[c>>12], hexDigits[c>>8&15], hexDigits[c>>4&15], hexDigits[c&15])
	}
}
