package codegen

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Limits of a stub. The stub of a recursive schema would be infinite.
const (
	stubDepth  = 8    // levels of optional members; required members may nest deeper
	stubValues = 2000 // values of one stub
)

// Stub returns a placeholder for the result of a call that is not made, with the type that the
// output schema describes. It has all members that the schema names, so that a script can read
// them, and one item in each array. Strings have the format of the schema, or are empty;
// numbers are the minimum, or 0. Stub ignores pattern, uniqueItems and not, so the value may
// violate the schema. If the schema is not valid, the value is {}.
func Stub(schema json.RawMessage) json.RawMessage {
	doc, err := decode(schema)
	if err != nil {
		return json.RawMessage("{}")
	}
	s := stubber{doc: doc, left: stubValues}
	s.write(doc.root, 0)
	return s.out
}

// stubber writes one stub.
type stubber struct {
	doc  *document
	out  []byte
	left int // number of values that it may still write
}

// write writes a value that fits a schema.
func (s *stubber) write(v *value, depth int) {
	s.left--
	v = s.target(v)
	switch {
	case s.left < 0 || depth > 2*stubDepth || !v.is(object):
		s.out = append(s.out, "null"...)
	case v.has("const"):
		s.json(v.get("const"), 0)
	case len(v.list("enum")) > 0:
		s.json(v.list("enum")[0], 0)
	case v.has("default"):
		s.json(v.get("default"), 0)
	default:
		s.typed(v, depth)
	}
}

// target follows references. For a schema with branches and without a type, it continues with
// the first branch.
func (s *stubber) target(v *value) *value {
	for range stubDepth {
		next := v.get("$ref")
		branches := slices.Concat(v.list("oneOf"), v.list("anyOf"))
		switch {
		case next.str() != "":
			v = s.doc.resolve(v, next.str())
		case len(branches) > 0 && !v.has("type", "properties"):
			v = firstBranch(branches)
		case len(v.list("allOf")) == 1 && !v.has("type", "properties"):
			v = v.list("allOf")[0]
		default:
			return v
		}
	}
	return nil
}

// firstBranch returns the first branch whose type is not null.
func firstBranch(branches []*value) *value {
	for _, b := range branches {
		if b.get("type").str() != "null" {
			return b
		}
	}
	return branches[0]
}

func (s *stubber) typed(v *value, depth int) {
	switch typeOf(v) {
	case "object":
		s.object(v, depth)
	case "array":
		s.array(v, depth)
	case "string":
		s.string(v)
	case "integer", "number":
		s.out = append(s.out, least(v)...)
	case "boolean":
		s.out = append(s.out, "false"...)
	default:
		s.out = append(s.out, "null"...)
	}
}

// typeOf returns the first type of a schema other than null. If the schema has no type, typeOf
// infers one from other keywords.
func typeOf(v *value) string {
	t := v.get("type")
	if t.str() != "" {
		return t.str()
	}
	for _, item := range v.list("type") {
		if item.str() != "null" {
			return item.str()
		}
	}
	switch {
	case v.has("properties", "required", "allOf"):
		return "object"
	case v.has("items", "prefixItems"):
		return "array"
	}
	return ""
}

func (s *stubber) object(v *value, depth int) {
	s.out = append(s.out, '{')
	s.members(v, depth, map[string]bool{})
	s.out = append(s.out, '}')
}

// members writes the members of a schema and of the schemas in its allOf.
func (s *stubber) members(v *value, depth int, written map[string]bool) {
	if s.left--; s.left < 0 {
		return
	}
	required := map[string]bool{}
	for _, name := range v.list("required") {
		required[name.str()] = true
	}
	properties := v.get("properties")
	if !properties.is(object) {
		properties = &value{kind: object}
	}
	for _, m := range properties.members {
		if written[m.key] || depth >= stubDepth && !required[m.key] {
			continue
		}
		s.member(m.key, m.value, depth, written)
	}
	for _, part := range v.list("allOf") {
		if part = s.target(part); part.is(object) && depth <= stubDepth {
			s.members(part, depth+1, written)
		}
	}
	for _, item := range v.list("required") {
		if name := item.str(); !written[name] && properties.get(name) == nil {
			s.member(name, &value{kind: object}, depth, written)
		}
	}
}

func (s *stubber) member(name string, v *value, depth int, written map[string]bool) {
	if len(written) > 0 {
		s.out = append(s.out, ',')
	}
	written[name] = true
	s.text(name)
	s.out = append(s.out, ':')
	s.write(v, depth+1)
}

func (s *stubber) array(v *value, depth int) {
	items := v.list("prefixItems")
	if one := v.get("items"); one.is(object) && len(items) == 0 {
		items = []*value{one}
	}
	s.out = append(s.out, '[')
	if most := v.get("maxItems"); (most == nil || most.text != "0") && depth < stubDepth {
		for i, item := range items {
			if i > 0 {
				s.out = append(s.out, ',')
			}
			s.write(item, depth+1)
		}
	}
	s.out = append(s.out, ']')
}

// formats holds an example for each format of JSON Schema, with reserved names and addresses.
var formats = map[string]string{
	"date-time": "1970-01-01T00:00:00Z", "date": "1970-01-01", "time": "00:00:00Z", "duration": "PT0S",
	"uri": "https://example.com/", "url": "https://example.com/", "uri-reference": "/", "email": "person@example.com",
	"hostname": "example.com", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "uuid": "00000000-0000-0000-0000-000000000000",
}

// stubLength is the maximum length of a stub string in bytes.
const stubLength = 1024

func (s *stubber) string(v *value) {
	t := formats[v.get("format").str()]
	if least, err := strconv.Atoi(v.get("minLength").literal()); err == nil && len(t) < least {
		t += strings.Repeat("x", min(least, stubLength)-len(t))
	}
	s.text(t)
}

// least returns the minimum of a number, or 0.
func least(v *value) string {
	if minimum := v.get("minimum"); minimum.is(number) {
		return minimum.text
	}
	if above, err := strconv.ParseFloat(v.get("exclusiveMinimum").literal(), 64); err == nil {
		return strconv.FormatFloat(above+1, 'f', -1, 64)
	}
	return "0"
}

// literal returns the text of a number; "" for other values.
func (v *value) literal() string {
	if !v.is(number) {
		return ""
	}
	return v.text
}

// json writes a value that the schema itself contains.
func (s *stubber) json(v *value, depth int) {
	s.left--
	switch {
	case s.left < 0 || depth > stubDepth:
		s.out = append(s.out, "null"...)
	case v.is(text):
		s.text(v.text)
	case v.is(boolean), v.is(number):
		s.out = append(s.out, v.text...)
	case v.is(array):
		s.out = append(s.out, '[')
		for i, item := range v.items {
			if i > 0 {
				s.out = append(s.out, ',')
			}
			s.json(item, depth+1)
		}
		s.out = append(s.out, ']')
	case v.is(object):
		s.out = append(s.out, '{')
		for i, m := range v.members {
			if i > 0 {
				s.out = append(s.out, ',')
			}
			s.text(m.key)
			s.out = append(s.out, ':')
			s.json(m.value, depth+1)
		}
		s.out = append(s.out, '}')
	default:
		s.out = append(s.out, "null"...)
	}
}

// text writes a string.
func (s *stubber) text(t string) {
	quoted, _ := json.Marshal(t) // a string always has a JSON encoding
	s.out = append(s.out, quoted...)
}
