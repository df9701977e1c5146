package openapi

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// input collects the parameters of an operation.
type input struct {
	*reader
	at         place
	parameters []parameter
	body       *body
	taken      map[string]string // names of arguments, and what has them
	properties []property
	refs       []*def
	open       bool // members of the body that the document does not name are arguments too
}

// property is one argument of the tool.
type property struct {
	name     string
	schema   []byte
	required bool
}

// declare adds the parameters of an operation, which replace those of its path. What the path has no
// place for is left out.
func (in *input) declare(op *operation, shared, own []byte) error {
	type declared struct {
		text     []byte
		at       place
		name, in string
	}
	var all []declared
	known := map[[2]string]int{} // the index in all, by name and in
	for _, list := range [][]byte{shared, own} {
		for text := range items(list) {
			if len(all) > maxParameters {
				return fmt.Errorf("it has more than %d parameters", maxParameters)
			}
			text, at, err := in.library.follow(text, in.at)
			if err != nil {
				return err
			}
			d := declared{text, at, written(member(text, "name")), unquote(member(text, "in"))}
			if d.in == "path" && !strings.Contains(op.path, "{"+d.name+"}") {
				in.warn("%s %s: the path has no place for its parameter %s, which is left out", op.method, op.path, d.name)
				continue
			}
			i, again := known[[2]string{d.name, d.in}]
			if again {
				all[i] = d
				continue
			}
			known[[2]string{d.name, d.in}] = len(all)
			all = append(all, d)
		}
	}
	count := map[string]int{}
	for _, d := range all {
		count[d.name]++
	}
	for _, d := range all {
		if d.in == "header" && slices.Contains([]string{"accept", "content-type", "authorization"}, strings.ToLower(d.name)) {
			continue // OpenAPI has other members for these
		}
		if slices.ContainsFunc(in.sent, func(s sentParameter) bool {
			return s.In == d.in && (s.Name == d.name || d.in == "header" && strings.EqualFold(s.Name, d.name))
		}) {
			continue
		}
		name := d.name
		if count[name] > 1 {
			name = d.name + "_" + d.in
		}
		in.parameter(name, d.text, d.at)
	}
	return nil
}

// undeclared adds the parameters of a path that the document does not declare, as texts.
func (in *input) undeclared(op *operation) {
	for _, part := range strings.Split(op.path, "{")[1:] {
		name, _, closed := strings.Cut(part, "}")
		if !closed || name == "" || slices.ContainsFunc(in.parameters, func(p parameter) bool { return p.in == "path" && p.wire == name }) {
			continue
		}
		argument := name
		for in.taken[argument] != "" {
			argument += "_path"
		}
		in.warn("%s %s: the document does not declare the parameter %s of the path; it is a text", op.method, op.path, name)
		in.add(argument, converted{text: []byte(`{"type":"string"}`)}, "", true, "path")
		in.parameters = append(in.parameters, parameter{name: argument, wire: name, in: "path", style: "simple"})
	}
}

func (in *input) parameter(name string, text []byte, at place) {
	all := index(text)
	p := parameter{name: name, wire: written(all["name"]), in: unquote(all["in"]), style: unquote(all["style"]), raw: isTrue(all["allowReserved"])}
	if p.style == "" {
		p.style = map[string]string{"query": "form", "cookie": "form"}[p.in]
	}
	if p.style == "" {
		p.style = "simple"
	}
	p.explode = p.style == "form"
	if all["explode"] != nil {
		p.explode = isTrue(all["explode"])
	}
	schema := all["schema"]
	for media, content := range members(all["content"]) {
		schema, p.json = member(content, "schema"), isJSON(media)
		break
	}
	if p.in == "path" {
		if followed, _, err := in.library.follow(schema, at); err == nil {
			p.otherwise = member(followed, "default")
		}
	}
	c := in.convert(schema, at, request)
	in.add(name, c, unquote(all["description"]), isTrue(all["required"]) || p.in == "path", p.in)
	in.parameters = append(in.parameters, p)
}

// add adds an argument.
func (in *input) add(name string, c converted, description string, required bool, of string) {
	in.taken[name] = of
	in.properties = append(in.properties, property{name, described(c.text, description), required})
	in.refs = append(in.refs, c.refs...)
}

// described is a schema with a description, unless it has one.
func described(schema []byte, description string) []byte {
	if description == "" || !isObject(schema) || member(schema, "description") != nil {
		return schema
	}
	var out bytes.Buffer
	out.WriteString(`{"description":`)
	out.Write(quote(description))
	if rest := bytes.TrimPrefix(schema, []byte("{")); len(rest) > 1 {
		out.WriteByte(',')
		out.Write(rest)
	} else {
		out.WriteByte('}')
	}
	return out.Bytes()
}

// schema is the schema of the arguments.
func (in *input) schema() []byte {
	var out bytes.Buffer
	out.WriteString(`{"type":"object",`)
	if !in.open {
		out.WriteString(`"additionalProperties":false,`)
	}
	out.WriteString(`"properties":{`)
	for i, p := range in.properties {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(quote(p.name))
		out.WriteByte(':')
		out.Write(p.schema)
	}
	out.WriteByte('}')
	first := true
	for _, p := range in.properties {
		if !p.required {
			continue
		}
		if first {
			out.WriteString(`,"required":[`)
		} else {
			out.WriteByte(',')
		}
		first = false
		out.Write(quote(p.name))
	}
	if !first {
		out.WriteByte(']')
	}
	writeDefs(&out, in.refs, in.most)
	out.WriteByte('}')
	return out.Bytes()
}

// request adds the body. The members of an object are arguments of their own, unless one has
// the name of a parameter.
func (in *input) request(text []byte) error {
	if text == nil {
		return nil
	}
	text, at, err := in.library.follow(text, in.at)
	if err != nil {
		return err
	}
	all := index(text)
	media, content := bestMedia(all["content"])
	if media == "" {
		return nil
	}
	for name, other := range members(all["content"]) { // no other type can carry files
		if isMultipart(name) && !isMultipart(media) && in.hasFiles(member(other, "schema"), at) {
			media, content = name, other
		}
	}
	b := &body{media: media, required: isTrue(all["required"]), fields: map[string]string{}, binary: map[string]bool{}, styles: map[string]parameter{}, types: map[string]string{}}
	in.body = b
	required := isTrue(all["required"])
	schema, schemaAt, err := in.library.follow(member(content, "schema"), at)
	if err != nil {
		return err
	}
	if !structured(media) || !in.flatten(schema, schemaAt) {
		c := in.convert(member(content, "schema"), at, request)
		if !structured(media) && !strings.HasPrefix(media, "text/") {
			b.binary[""] = true
			c = converted{text: []byte(`{"type":"string","contentEncoding":"base64","description":"the bytes of the body, as base64"}`)}
		}
		b.whole = "body"
		for in.taken[b.whole] != "" {
			b.whole += "_"
		}
		in.add(b.whole, c, unquote(all["description"]), required, "body")
	}
	for name, encoding := range members(member(content, "encoding")) {
		p := parameter{wire: name, style: unquote(member(encoding, "style")), explode: true}
		if p.style == "" {
			p.style = "form"
		}
		if explode := member(encoding, "explode"); explode != nil {
			p.explode = isTrue(explode)
		}
		b.styles[name] = p
		if media := unquote(member(encoding, "contentType")); media != "" && !strings.ContainsAny(media, "*,") { // a list leaves it open
			b.types[name] = media
		}
	}
	return nil
}

// flatten adds the members of a body as arguments, and reports whether it could. Members that
// the body needs are required also if the body is not: documents often forget to say so.
func (in *input) flatten(schema []byte, at place) bool {
	o := object{in: in, has: map[string]bool{}}
	if !o.add(schema, at, 0) || len(o.members) == 0 {
		return false
	}
	o.members = slices.DeleteFunc(o.members, func(m bodyMember) bool { return in.sidesOf(m.schema, m.at).readOnly })
	for _, m := range o.members {
		if in.taken[m.name] != "" {
			return false
		}
	}
	required := map[string]bool{}
	for _, name := range o.required {
		required[name] = true
	}
	for _, m := range o.members {
		in.body.fields[m.name] = m.name
		c, raw := in.file(m.schema, m.at)
		if in.body.binary[m.name] = raw; !raw {
			c = in.convert(m.schema, m.at, request)
		}
		in.add(m.name, c, "", required[m.name], "body")
	}
	in.open = !o.closed
	return true
}

// object collects the members of a body, also those of the parts in its allOf.
type object struct {
	in       *input
	members  []bodyMember
	has      map[string]bool
	required []string
	parts    int  // schemas that were read
	closed   bool // a part allows no other members
}

// maxParts bounds the schemas that a body is joined from: references may double at each level.
const maxParts = 1000

type bodyMember struct {
	name   string
	schema []byte
	at     place
}

// add adds the members of a schema. It returns false if these are not all that the body can
// have, or if two parts have the same.
func (o *object) add(schema []byte, at place, depth int) bool {
	if o.parts++; o.parts > maxParts || depth > maxDepth {
		return false
	}
	schema, at, err := o.in.library.follow(schema, at)
	if err != nil {
		return false
	}
	all := index(schema)
	if depth == 0 && len(o.in.subtypes(schema, at)) > 0 {
		return false
	}
	kind := unquote(all["type"])
	if kind != "object" && kind != "" || all["properties"] == nil && all["allOf"] == nil || isTrue(all["nullable"]) {
		return false
	}
	for _, other := range []string{"anyOf", "oneOf", "not", "if", "patternProperties", "minProperties"} {
		if all[other] != nil {
			return false
		}
	}
	if more := all["additionalProperties"]; string(more) == "false" {
		o.closed = true
	} else if more != nil && !isTrue(more) {
		return false
	}
	for part := range items(all["allOf"]) {
		if only := index(part); len(only) == 1 && only["required"] != nil {
			o.required = append(o.required, texts(only["required"])...)
			continue
		}
		if !o.add(part, at, depth+1) {
			return false
		}
	}
	for name, property := range members(all["properties"]) {
		if o.has[name] {
			return false
		}
		o.has[name] = true
		o.members = append(o.members, bodyMember{name, property, at})
	}
	o.required = append(o.required, texts(all["required"])...)
	return true
}

// file is the schema of the argument for a member with bytes in a body of several parts: base64,
// or a list of that.
func (in *input) file(schema []byte, at place) (c converted, is bool) {
	if !isMultipart(in.body.media) {
		return c, false
	}
	const one = `{"anyOf":[{"type":"string","contentEncoding":"base64"},{"type":"object","properties":{` +
		`"data":{"type":"string","contentEncoding":"base64"},"name":{"type":"string","description":"the name of the file, such as talk.mp3"},` +
		`"type":{"type":"string","description":"its media type, such as audio/mpeg"},"mimeType":{"type":"string"},"resource":{"type":"object"}}}],` +
		`"description":"the bytes of a file, as base64, { name, type, data }, or a content block that a tool returned"}`
	schema, at, nullable := in.notNull(schema, at)
	text := one
	if unquote(member(schema, "type")) == "array" {
		schema, _, _ = in.notNull(member(schema, "items"), at)
		text = `{"type":"array","items":` + one + `}`
	}
	c = converted{text: []byte(text)}
	if nullable {
		c = c.orNull()
	}
	return c, isFile(schema)
}

// notNull is a schema, and what it refers to, without the alternative null.
func (in *input) notNull(schema []byte, from place) (found []byte, at place, nullable bool) {
	found, at, err := in.library.follow(schema, from)
	if err != nil {
		return nil, from, false
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		var others [][]byte
		count := 0
		for item := range items(member(found, key)) {
			if count++; unquote(member(item, "type")) != "null" {
				others = append(others, item)
			}
		}
		if count == 2 && len(others) == 1 {
			if only, where, err := in.library.follow(others[0], at); err == nil {
				return only, where, true
			}
		}
	}
	return found, at, false
}

// hasFiles reports whether a body has a member that is a file, or a list of files.
func (in *input) hasFiles(schema []byte, at place) bool {
	schema, at, err := in.library.follow(schema, at)
	if err != nil {
		return false
	}
	for _, property := range members(member(schema, "properties")) {
		property, from, _ := in.notNull(property, at)
		if unquote(member(property, "type")) == "array" {
			property, _, _ = in.notNull(member(property, "items"), from)
		}
		if isFile(property) {
			return true
		}
	}
	return false
}

// isFile reports whether a schema is that of bytes: in OpenAPI 3.1, of a text with a media type or
// an encoding.
func isFile(schema []byte) bool {
	all := index(schema)
	return unquote(all["format"]) == "binary" || all["contentMediaType"] != nil || all["contentEncoding"] != nil
}
