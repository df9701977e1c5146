package codegen

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Limits of a schema that is turned into types. The generator runs in the
// gateway, so what it cannot bound would end it for everybody.
const (
	maxSchemaBytes = 1 << 20
	maxNesting     = 512 // of the JSON text; below that, values are cut
)

// decode reads a schema and keeps the order of its members.
//
// encoding/json checks the text first. It refuses more than 10,000 levels
// without recursion, and what it accepts needs no checks here; its own decoder
// would lose the order, and a loop over Token takes three times as long.
func decode(data []byte) (*value, error) {
	if len(data) > maxSchemaBytes {
		return nil, fmt.Errorf("the schema has %d bytes; types are made of schemas up to %d", len(data), maxSchemaBytes)
	}
	if !json.Valid(data) {
		var raw json.RawMessage
		err := json.Unmarshal(data, &raw)
		if len(bytes.TrimSpace(data)) == 0 {
			err = errors.New("the schema is empty")
		}
		return nil, err
	}
	d := decoder{data: data}
	return d.value(0), nil
}

// decoder reads a valid JSON text.
type decoder struct {
	data []byte
	pos  int
}

// next is the first byte of the next token.
func (d *decoder) next() byte {
	for {
		switch c := d.data[d.pos]; c {
		case ' ', '\t', '\n', '\r', ',', ':':
			d.pos++
		default:
			return c
		}
	}
}

func (d *decoder) value(depth int) *value {
	switch d.next() {
	case '{', '[':
		if depth == maxNesting {
			d.skip()
			return &value{kind: cut}
		}
		return d.composite(depth)
	case '"':
		return &value{kind: text, text: d.string()}
	case 't', 'f':
		return &value{kind: boolean, text: d.word()}
	case 'n':
		d.word()
		return &value{kind: null}
	default:
		return &value{kind: number, text: d.word()}
	}
}

func (d *decoder) composite(depth int) *value {
	v := &value{kind: array}
	if d.data[d.pos] == '{' {
		v.kind = object
	}
	d.pos++
	for {
		switch c := d.next(); {
		case c == '}', c == ']':
			d.pos++
			return v
		case v.kind == array:
			v.items = append(v.items, d.value(depth+1))
		default:
			key := d.string()
			v.set(key, d.value(depth+1))
		}
	}
}

// word reads a number, true, false or null.
func (d *decoder) word() string {
	start := d.pos
	for d.pos < len(d.data) && !bytes.ContainsRune([]byte(" \t\r\n,:]}"), rune(d.data[d.pos])) {
		d.pos++
	}
	return string(d.data[start:d.pos])
}

func (d *decoder) string() string {
	raw, escaped := d.quoted()
	if escaped {
		var s string
		if json.Unmarshal(raw, &s) == nil {
			return s
		}
	}
	return strings.ToValidUTF8(string(raw[1:len(raw)-1]), "\uFFFD")
}

// quoted passes a string and is its text with the quotes.
func (d *decoder) quoted() (raw []byte, escaped bool) {
	start := d.pos
	for d.pos++; d.data[d.pos] != '"'; d.pos++ {
		if d.data[d.pos] == '\\' {
			escaped = true
			d.pos++
		}
	}
	d.pos++
	return d.data[start:d.pos], escaped
}

// skip passes an object or array, however deep, without recursion.
func (d *decoder) skip() {
	for open := 0; ; {
		switch d.data[d.pos] {
		case '"':
			d.quoted()
			continue
		case '{', '[':
			open++
		case '}', ']':
			open--
		}
		d.pos++
		if open == 0 {
			return
		}
	}
}
