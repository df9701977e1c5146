package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// input collects the arguments of an operation.
type input struct {
	*reader
	at         place
	parameters []parameter
	body       *body
	taken      map[string]string // part of the request, by argument
	properties []property
	refs       []*def
	either     [][]string // lists of arguments; a call must have all arguments of at least one list
	open       bool       // further arguments become members of the body
}

// property is one argument of the tool.
type property struct {
	name     string
	schema   []byte
	required bool
}

// declare adds the parameters of an operation and of its path item. Those of the operation replace
// equal parameters of the path item. declare leaves out path parameters that do not occur in the
// path.
func (in *input) declare(op *operation, shared, own []byte) error {
	type declared struct {
		text     []byte
		at       place
		name, in string
	}
	var all []declared
	known := map[[2]string]int{} // index in all, by the members "name" and "in"
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
			if d.in == "path" && !strings.Contains(op.Path, "{"+d.name+"}") {
				in.warn("%s %s: the path has no place for its parameter %s, which is left out", op.Method, op.Path, d.name)
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
			continue // other parts of OpenAPI describe these headers
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

// undeclared adds the parameters in a path that the document does not declare, as strings.
func (in *input) undeclared(op *operation) {
	for _, part := range strings.Split(op.Path, "{")[1:] {
		name, _, closed := strings.Cut(part, "}")
		if !closed || name == "" || slices.ContainsFunc(in.parameters, func(p parameter) bool { return p.In == "path" && p.Wire == name }) {
			continue
		}
		argument := name
		for in.taken[argument] != "" {
			argument += "_path"
		}
		in.warn("%s %s: the document does not declare the parameter %s of the path; it is a text", op.Method, op.Path, name)
		in.add(argument, converted{text: []byte(`{"type":"string"}`)}, "", true, "path")
		in.parameters = append(in.parameters, parameter{Name: argument, Wire: name, In: "path", Style: "simple"})
	}
}

func (in *input) parameter(name string, text []byte, at place) {
	all := index(text)
	p := parameter{Name: name, Wire: written(all["name"]), In: unquote(all["in"]), Style: unquote(all["style"]), Raw: isTrue(all["allowReserved"])}
	if p.Style == "" {
		p.Style = map[string]string{"query": "form", "cookie": "form"}[p.In]
	}
	if p.Style == "" {
		p.Style = "simple"
	}
	p.Explode = p.Style == "form"
	if all["explode"] != nil {
		p.Explode = isTrue(all["explode"])
	}
	schema := all["schema"]
	for media, content := range members(all["content"]) {
		schema, p.JSON = member(content, "schema"), isJSON(media)
		break
	}
	if p.In == "path" {
		if followed, _, err := in.library.follow(schema, at); err == nil {
			p.Otherwise = member(followed, "default")
		}
	}
	c := in.convert(schema, at, request)
	in.add(name, c, unquote(all["description"]), isTrue(all["required"]) || p.In == "path", p.In)
	in.parameters = append(in.parameters, p)
}

// add adds an argument.
func (in *input) add(name string, c converted, description string, required bool, of string) {
	in.taken[name] = of
	in.properties = append(in.properties, property{name, described(c.text, description), required})
	in.refs = append(in.refs, c.refs...)
}

// described adds a description to a schema, unless the schema has one.
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

// schema returns the JSON Schema of all arguments.
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
	for i, names := range in.either {
		out.WriteString([]string{`,"anyOf":[`, `,`}[min(i, 1)])
		list, _ := json.Marshal(names) // encoding strings never fails
		fmt.Fprintf(&out, `{"required":%s}`, list)
		if i == len(in.either)-1 {
			out.WriteByte(']')
		}
	}
	writeDefs(&out, in.refs, in.most)
	out.WriteByte('}')
	return out.Bytes()
}

// request adds the request body. The members of an object become arguments of their own, unless a
// member has the name of another argument.
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
	for name, other := range members(all["content"]) { // use multipart if the body has files: no other media type can carry them
		if isMultipart(name) && !isMultipart(media) && in.hasFiles(member(other, "schema"), at) {
			media, content = name, other
		}
	}
	b := &body{Media: media, Required: isTrue(all["required"]), Fields: map[string]string{}, Binary: map[string]bool{}, Styles: map[string]parameter{}, Types: map[string]string{}}
	in.body = b
	schema, schemaAt, err := in.library.follow(member(content, "schema"), at)
	if err != nil {
		return err
	}
	b.Raws = in.raws(all["content"], media, at)
	switch {
	case len(b.Raws) > 0 && b.Raws[0] == media:
		b.Binary[""] = true
		in.whole(converted{text: []byte(fileArgument)}, unquote(all["description"]))
	case !structured(media) || !in.flatten(schema, schemaAt):
		side := request
		if isMultipart(media) {
			if b.Binary, b.Files = in.fileMembers(schema, schemaAt); in.hasFiles(schema, schemaAt) {
				side = parts
			}
		}
		in.whole(in.convert(member(content, "schema"), at, side), unquote(all["description"]))
	}
	if len(b.Raws) > 0 && !b.Binary[""] {
		in.bytes()
	}
	for name, encoding := range members(member(content, "encoding")) {
		p := parameter{Wire: name, Style: unquote(member(encoding, "style")), Explode: true}
		if p.Style == "" {
			p.Style = "form"
		}
		if explode := member(encoding, "explode"); explode != nil {
			p.Explode = isTrue(explode)
		}
		b.Styles[name] = p
		if media := unquote(member(encoding, "contentType")); media != "" && !strings.ContainsAny(media, "*,") { // a list does not choose one
			b.Types[name] = media
		}
	}
	return nil
}

// whole adds the body as one argument.
func (in *input) whole(c converted, description string) {
	in.body.Whole = in.free("body")
	in.add(in.body.Whole, c, description, in.body.Required, "body")
}

// free returns name, with underscores appended until no argument has that name.
func (in *input) free(name string) string {
	for in.taken[name] != "" {
		name += "_"
	}
	return name
}

// bytes adds an argument for a body of bytes to an operation whose body can also be an object. A call
// must have either this argument or the required members of the object.
func (in *input) bytes() {
	var needed []string
	for i := range in.properties {
		if p := &in.properties[i]; p.required && in.taken[p.name] == "body" {
			needed = append(needed, p.name)
			p.required = false
		}
	}
	in.body.Bytes = in.free("bytes")
	in.add(in.body.Bytes, converted{text: []byte(fileArgument)}, "", false, "bytes")
	if len(needed) > 0 {
		in.either = [][]string{needed, {in.body.Bytes}}
	}
}

// raws returns the media types for a body of bytes. If chosen is one of them, it comes first.
func (in *input) raws(content []byte, chosen string, at place) (out []string) {
	for media, of := range members(content) {
		general, _, _ := strings.Cut(strings.ToLower(media), "/")
		switch {
		case strings.HasPrefix(media, "*/*"):
			if !in.files(member(of, "schema"), at) {
				continue
			}
		case structured(media), strings.HasPrefix(media, "text/"):
			continue
		case media != chosen && !slices.Contains([]string{"image", "audio", "video"}, general) && !strings.HasPrefix(media, "application/octet-stream") && !in.files(member(of, "schema"), at):
			continue // the media type may have another form
		}
		if media == chosen {
			out = slices.Insert(out, 0, media)
		} else {
			out = append(out, media)
		}
	}
	return out
}

// flatten adds the members of a body as arguments. It returns false if that is not possible. Required members
// become required arguments even if the body is optional, because documents often fail to declare that the
// body is required.
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
		in.body.Fields[m.name] = m.name
		side := request
		if isMultipart(in.body.Media) && in.files(m.schema, m.at) {
			side = upload
		}
		in.body.Binary[m.name] = side == upload
		in.add(m.name, in.convert(m.schema, m.at, side), "", required[m.name], "body")
	}
	in.open = !o.closed
	return true
}

// object collects the members of a body, including those in its allOf.
type object struct {
	in       *input
	members  []bodyMember
	has      map[string]bool
	required []string
	parts    int  // number of schemas read
	closed   bool // a part allows no other members
}

// maxParts is the maximum number of schemas in one body. The number of references can double at each level.
const maxParts = 1000

type bodyMember struct {
	name   string
	schema []byte
	at     place
}

// add adds the members of a schema. It returns false if the schema allows more than these
// members, or if two parts declare the same member.
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
	for _, key := range []string{"additionalProperties", "unevaluatedProperties"} {
		if more := all[key]; string(more) == "false" {
			o.closed = true
		} else if more != nil && !isTrue(more) {
			return false
		}
	}
	for part := range items(all["allOf"]) {
		if only := index(part); len(only) == 1 && only["required"] != nil {
			o.required = append(o.required, writtenAll(only["required"])...)
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
	o.required = append(o.required, writtenAll(all["required"])...)
	return true
}
