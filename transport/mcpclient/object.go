package mcpclient

import (
	"bytes"

	"github.com/toolscript/toolscript/transport/mcpclient/httptransport"
)

// maxObject is the length above which only both ends of an object are kept.
const maxObject = 16 << 10

// object collects the lines of a JSON object that a server prints with line breaks.
type jsonObject struct {
	text            []byte // empty: there is no object
	depth           int
	quoted, escaped bool
}

// add takes a line. It returns the text of the object that ends with it, valid until the next
// call, or nil.
func (o *jsonObject) add(line []byte) (whole []byte) {
	if !o.begin(line) {
		return nil
	}
	o.text = append(o.text, line...)
	for _, b := range line {
		switch {
		case o.escaped:
			o.escaped = false
		case o.quoted && b == '\\':
			o.escaped = true
		case b == '"' && o.depth > 0:
			o.quoted = !o.quoted
		case o.quoted:
		case b == '{':
			o.depth++
		case b == '}' && o.depth > 0:
			o.depth--
		}
	}
	if !bytes.HasSuffix(line, []byte("\n")) { // the rest of a long line is not known
		o.quoted, o.escaped = false, false
	}
	if n := len(o.text); n > maxObject {
		o.text = append(o.text[:httptransport.Edge], o.text[n-httptransport.Edge:]...)
	}
	if o.depth > 0 {
		return nil
	}
	whole, o.text = o.text, o.text[:0]
	return whole
}

// begin reports whether a line belongs to an object. An incomplete object is dropped where
// another one begins.
func (o *jsonObject) begin(line []byte) bool {
	text := bytes.TrimRight(o.text, " \t\r\n")
	another := line[0] == '{' && (len(text) == 0 || bytes.IndexByte([]byte("[,:{"), text[len(text)-1]) < 0)
	if another || len(text) == 0 && bytes.HasSuffix(bytes.TrimRight(line, " \t\r\n"), []byte("{")) {
		*o = jsonObject{text: o.text[:0]}
		return true
	}
	return len(text) > 0
}
