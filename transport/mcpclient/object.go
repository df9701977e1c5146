package mcpclient

import (
	"bytes"

	"github.com/toolscript/toolscript/transport/mcpclient/httptransport"
)

// maxObject is the length in bytes above which only the beginning and the end of an object are kept.
const maxObject = 16 << 10

// jsonObject collects the lines of a JSON object that a server prints with line breaks.
type jsonObject struct {
	text            []byte // empty: there is no object
	depth           int
	quoted, escaped bool
}

// add adds a line. If the line completes an object, add returns the text of the object, which is valid
// until the next call. Otherwise it returns nil.
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
	if !bytes.HasSuffix(line, []byte("\n")) { // the line was cut, so its rest is not known
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

// begin reports whether a line belongs to an object. If another object begins with the line, begin
// drops the incomplete one.
func (o *jsonObject) begin(line []byte) bool {
	text := bytes.TrimRight(o.text, " \t\r\n")
	another := line[0] == '{' && (len(text) == 0 || bytes.IndexByte([]byte("[,:{"), text[len(text)-1]) < 0)
	if another || len(text) == 0 && bytes.HasSuffix(bytes.TrimRight(line, " \t\r\n"), []byte("{")) {
		*o = jsonObject{text: o.text[:0]}
		return true
	}
	return len(text) > 0
}
