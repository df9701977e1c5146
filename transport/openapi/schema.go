package openapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// schemas converts the schemas of documents to JSON Schema. It translates or drops OpenAPI's
// extensions, and makes references point to $defs.
type schemas struct {
	library  *library
	modern   bool // the document has OpenAPI 3.1, whose schemas are JSON Schemas
	defs     map[use]*def
	waiting  []*def // definitions whose text is not built yet
	names    map[string]place
	sides    map[place]sides                  // sides of schemas that members refer to
	carrying map[use]bool                     // see carries
	sidedOf  map[place]map[string]sidedMember // see sidedAt
	looked   int                              // number of schemas read by mentions, see maxLooked

	extended map[string]map[place][]string // see children

	written int // total bytes of the schemas of all tools
	most    int // maximum of bytes of the $defs of one schema

	warnings []string // warnings about the document; at most maxWarnings
}

const maxWarnings = 20

// warn adds a warning about the document.
func (s *schemas) warn(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); len(s.warnings) < maxWarnings && !slices.Contains(s.warnings, text) {
		s.warnings = append(s.warnings, text)
	}
}

// unknown warns about a reference that cannot be resolved. The schema of its target accepts any
// value, so that the tool can be used although a part of its types is unknown.
func (s *schemas) unknown(err error) { s.warn("the types of some values are unknown: %v", err) }

// side says what a schema is used for.
type side int

const (
	request  side = iota // requests: readOnly members are left out
	response             // responses: writeOnly members are left out
	parts                // requests whose members are parts of a multipart body: bytes become files
	upload               // a member of a multipart body that contains files
)

// inside returns the side of a schema in the member key of the current schema. Only the members of a
// body, and the items of lists in them, are parts of a multipart body.
func (w *writer) inside(key string, schema []byte) side {
	switch at := w.at.side; {
	case at < parts, at == parts && (lists[key] || key == "then" || key == "else"), at == upload && (lists[key] || key == "items"):
		return at
	case at == parts && (named[key] || key == "additionalProperties") && w.files(schema, w.at.place):
		return upload
	}
	return request
}

// within calls write with the side of a schema in the member key of the current schema.
func (w *writer) within(key string, schema []byte, write func()) {
	before := w.at.side
	w.at.side = w.inside(key, schema)
	write()
	w.at.side = before
}

// use is a schema on a side. If base is set, the subtypes of the schema are left out, as in a part of allOf.
type use struct {
	place
	side side
	base bool
}

// def is a definition: a schema to which others refer.
type def struct {
	at    use
	name  string
	text  []byte
	refs  []*def // definitions to which text refers
	sided bool   // text is valid for this side only
}

// converted is a converted schema without its $defs.
type converted struct {
	text  []byte
	refs  []*def
	sided bool // the schema differs between the sides
}

func newSchemas(l *library, modern bool) *schemas {
	return &schemas{library: l, modern: modern, most: maxDefs, defs: map[use]*def{}, names: map[string]place{}, sides: map[place]sides{}, carrying: map[use]bool{}, sidedOf: map[place]map[string]sidedMember{}, extended: map[string]map[place][]string{}}
}

// convert converts the schema at a place and all schemas to which it refers. The target of an
// invalid reference accepts any value.
func (s *schemas) convert(schema []byte, at place, side side) converted {
	c := s.one(schema, use{at, side, false})
	for len(s.waiting) > 0 { // no recursion, because a document can have a chain of a million references
		d := s.waiting[len(s.waiting)-1]
		s.waiting = s.waiting[:len(s.waiting)-1]
		s.define(d)
	}
	return c
}

// one converts one schema.
func (s *schemas) one(schema []byte, at use) converted {
	w := &writer{schemas: s, at: at}
	if all := s.subtypes(schema, at.place); len(all) > 0 && !at.base {
		w.union(member(schema, "discriminator"), all)
		w.sided = true // the union differs between the sides: in a response it has one more alternative
	} else {
		w.schema(schema, 0)
	}
	return converted{w.out.Bytes(), w.refs, w.sided}
}

// def returns the definition of a schema. convert builds its text later.
func (s *schemas) def(at use) *def {
	if d, known := s.defs[at]; known {
		return d
	}
	d := &def{at: at, name: s.name(at.place)}
	if at.base || at.side >= parts {
		suffix := map[side]string{parts: "_parts", upload: "_file"}[at.side]
		if at.base {
			suffix += "_base"
		}
		d.name = s.name(place{at.document, at.pointer + suffix})
	}
	s.defs[at] = d
	s.waiting = append(s.waiting, d)
	return d
}

// define builds the text of a definition.
func (s *schemas) define(d *def) {
	if other := s.defs[use{d.at.place, response - d.at.side, d.at.base}]; other != nil && other.text != nil && !other.sided {
		d.text = other.text
		for _, ref := range other.refs {
			d.refs = append(d.refs, s.def(use{ref.at.place, d.at.side, ref.at.base}))
		}
		return
	}
	schema, err := s.library.find(d.at.place)
	if err != nil {
		s.unknown(err)
		d.text = []byte("{}")
		return
	}
	c := s.one(schema, d.at)
	d.text, d.refs, d.sided = c.text, c.refs, c.sided
}

var notInName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Za-z0-9_.-]+`) })

// name returns the name of the definition at a place. No other place has this name.
func (s *schemas) name(at place) string {
	name := notInName().ReplaceAllString(at.pointer[strings.LastIndexByte(at.pointer, '/')+1:], "_")
	if name == "" {
		name = "schema"
	}
	if other, taken := s.names[name]; taken && other != at {
		sum := sha256.Sum256([]byte(at.document + "#" + at.pointer))
		name += "_" + hex.EncodeToString(sum[:4])
	}
	s.names[name] = at
	return name
}

// maxDefs is the maximum size of the $defs of one schema in bytes. Package codegen accepts schemas of up to 1 MB.
const maxDefs = 900 << 10

// closure returns the definitions to which refs lead, directly or indirectly, sorted by name. It adds up
// their sizes, the nearest definitions first; far marks the definitions that exceed most bytes.
func closure(refs []*def, most int) (all []*def, far map[*def]bool) {
	seen, far := map[*def]bool{}, map[*def]bool{}
	size := 0
	for queue := slices.Clone(refs); len(queue) > 0; queue = queue[1:] { // breadth first
		d := queue[0]
		if seen[d] {
			continue
		}
		seen[d] = true
		all = append(all, d)
		if size += len(d.name) + len(d.text) + len(`"":,`); size > most {
			far[d] = true
			continue
		}
		queue = append(queue, d.refs...)
	}
	slices.SortFunc(all, func(a, b *def) int { return strings.Compare(a.name, b.name) })
	return all, far
}

// writeDefs writes the member $defs with all definitions to which refs lead. Definitions that are
// far, see closure, accept any value.
func writeDefs(out *bytes.Buffer, refs []*def, most int) {
	if len(refs) == 0 {
		return
	}
	out.WriteString(`,"$defs":{`)
	all, far := closure(refs, most)
	for i, d := range all {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(quote(d.name))
		out.WriteByte(':')
		if far[d] {
			out.WriteString("{}")
			continue
		}
		out.Write(d.text)
	}
	out.WriteByte('}')
}

// whole returns the schema with its $defs.
func (c converted) whole(most int) []byte {
	if len(c.refs) == 0 || !isObject(c.text) {
		return c.text
	}
	var out bytes.Buffer
	out.Write(bytes.TrimSuffix(c.text, []byte("}")))
	writeDefs(&out, c.refs, most)
	out.WriteByte('}')
	return out.Bytes()
}

// orNull returns a schema that also accepts null.
func (c converted) orNull() converted {
	c.text = slices.Concat([]byte(`{"anyOf":[`), c.text, []byte(`,{"type":"null"}]}`))
	return c
}

// maxDepth is the maximum nesting of one schema. Deeper parts accept any value.
const maxDepth = 100

// writer writes one converted schema.
type writer struct {
	*schemas
	at       use // use of the whole schema
	out      bytes.Buffer
	refs     []*def
	referred map[*def]bool // set of the elements of refs
	sided    bool          // a member exists on one side only
}

// dropped lists members of schemas that do not restrict values, or that JSON Schema does not know.
var dropped = map[string]bool{
	"example": true, "examples": true, "xml": true, "externalDocs": true, "discriminator": true, "nullable": true,
	"exclusiveMinimum": true, "exclusiveMaximum": true, "$schema": true, "$id": true, "$anchor": true, "$dynamicAnchor": true, "$comment": true,
}

// named are keywords whose members are schemas; lists hold arrays of schemas; singles hold one schema.
var (
	named   = map[string]bool{"properties": true, "patternProperties": true, "dependentSchemas": true, "$defs": true, "definitions": true}
	lists   = map[string]bool{"allOf": true, "anyOf": true, "oneOf": true, "prefixItems": true}
	singles = map[string]bool{
		"items": true, "additionalProperties": true, "not": true, "if": true, "then": true, "else": true, "contains": true,
		"propertyNames": true, "unevaluatedItems": true, "unevaluatedProperties": true,
	}
)

// schema writes a schema: an object, or true or false.
func (w *writer) schema(text []byte, depth int) { w.part(text, depth, nil, false) }

// part writes a schema. If the schema is a part of an object, part leaves out the hidden members of that object.
func (w *writer) part(text []byte, depth int, hidden map[string]bool, inAllOf bool) {
	switch {
	case depth > maxDepth:
		w.out.WriteString("{}")
	case !isObject(text):
		if isTrue(text) || string(text) == "false" {
			w.out.Write(text)
			return
		}
		w.out.WriteString("{}")
	case w.inlined(text, depth+1, hidden):
	default:
		w.object(index(text), text, depth, hidden, inAllOf)
	}
}

func (w *writer) object(all map[string][]byte, text []byte, depth int, hidden map[string]bool, inAllOf bool) {
	if w.at.side == upload && isFile(all) {
		c := converted{text: []byte(fileArgument)}
		if isTrue(all["nullable"]) || slices.Contains(writtenAll(all["type"]), "null") {
			c = c.orNull()
		}
		w.out.Write(c.text)
		return
	}
	nullable := !w.modern && isTrue(all["nullable"])
	if nullable && all["type"] == nil {
		w.out.WriteString(`{"anyOf":[`)
		defer w.out.WriteString(`,{"type":"null"}]}`)
		nullable = false
	}
	w.out.WriteByte('{')
	begun := false
	begin := func(key string) {
		if begun {
			w.out.WriteByte(',')
		}
		begun = true
		w.out.Write(quote(key))
		w.out.WriteByte(':')
	}
	if ref := all["$ref"]; ref != nil {
		w.ref(unquote(ref), inAllOf, begin)
		if !w.modern { // OpenAPI 3.0 ignores the other members
			w.out.WriteByte('}')
			return
		}
	}
	hidden = w.hidden(text, hidden)
	for key, value := range members(text) {
		switch {
		case key == "required" && len(hidden) > 0:
			w.required(value, hidden, begin)
		case key == "$ref", strings.HasPrefix(key, "x-"):
		case key == "type" && nullable:
			begin(key)
			w.out.WriteByte('[')
			w.out.Write(value)
			w.out.WriteString(`,"null"]`)
		case key == "enum" && nullable && !has(value, "null"):
			begin(key)
			w.out.Write(bytes.TrimSuffix(bytes.TrimRight(value, " \n\r\t"), []byte("]")))
			w.out.WriteString(`,null]`)
		case key == "exclusiveMinimum" || key == "exclusiveMaximum":
			w.exclusive(key, value, all, begin)
		case (key == "minimum" && isTrue(all["exclusiveMinimum"])) || (key == "maximum" && isTrue(all["exclusiveMaximum"])):
		case dropped[key]:
		default:
			begin(key)
			w.member(key, value, depth, hidden)
		}
	}
	w.out.WriteByte('}')
}

// has reports whether an array has an item with this JSON text.
func has(list []byte, want string) bool {
	for item := range items(list) {
		if string(item) == want {
			return true
		}
	}
	return false
}

// exclusive writes an exclusive bound. In OpenAPI 3.0, it is a boolean beside the other bound.
func (w *writer) exclusive(key string, value []byte, all map[string][]byte, begin func(string)) {
	switch {
	case string(value) == "false":
	case isTrue(value):
		bound := all[strings.ToLower(strings.TrimPrefix(key, "exclusive"))]
		if bound != nil {
			begin(key)
			w.out.Write(bound)
		}
	default:
		begin(key)
		w.out.Write(value)
	}
}

func (w *writer) member(key string, value []byte, depth int, hidden map[string]bool) {
	switch {
	case named[key] && isObject(value):
		w.out.WriteByte('{')
		first := true
		for name, schema := range members(value) {
			if key == "properties" && hidden[name] { // false for a member that only an alternative hides
				continue
			}
			if !first {
				w.out.WriteByte(',')
			}
			first = false
			w.out.Write(quote(name))
			w.out.WriteByte(':')
			w.within(key, schema, func() { w.schema(schema, depth+1) })
		}
		w.out.WriteByte('}')
	case lists[key]:
		w.out.WriteByte('[')
		first := true
		for schema := range items(value) {
			if !first {
				w.out.WriteByte(',')
			}
			first = false
			if key == "prefixItems" {
				w.schema(schema, depth+1)
				continue
			}
			w.within(key, schema, func() { w.part(schema, depth+1, ofPart(key, hidden), key == "allOf") })
		}
		w.out.WriteByte(']')
	case singles[key]:
		w.within(key, value, func() { w.schema(value, depth+1) })
	default:
		w.out.Write(value)
	}
}

// ref writes the reference ref as a reference to a definition.
func (w *writer) ref(ref string, base bool, begin func(string)) {
	at, err := w.library.refer(w.at.document, ref)
	if err != nil {
		w.unknown(err)
		return
	}
	if base {
		schema, err := w.library.find(at)
		base = err == nil && len(w.subtypes(schema, at)) > 0
	}
	side := w.at.side
	if side >= parts && !w.carries(at, side) {
		side = request
	}
	w.refer(use{at, side, base}, begin)
}

// refer writes a reference to the definition of a schema.
func (w *writer) refer(to use, begin func(string)) {
	d := w.def(to)
	if !w.referred[d] {
		if w.referred == nil {
			w.referred = map[*def]bool{}
		}
		w.referred[d] = true
		w.refs = append(w.refs, d)
	}
	begin("$ref")
	w.out.Write(quote("#/$defs/" + strings.ReplaceAll(strings.ReplaceAll(d.name, "~", "~0"), "/", "~1")))
}
