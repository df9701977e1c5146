package openapi

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
)

// operation is one operation of a document, and how a call of its tool becomes a request.
type operation struct {
	tool   toolscript.Tool
	method string
	path   string // a template, such as /pets/{id}
	base   string // the address of the server, when it is the operation's own; "" is that of the document
	tags   []string

	parameters []parameter
	body       *body
	accept     string // the media type of the answer; "" is any
}

// parameter is a parameter of a request outside of its body.
type parameter struct {
	name    string // in the arguments of the tool
	wire    string // in the request
	in      string // path, query, header or cookie
	style   string
	explode bool
	raw     bool // reserved characters are not escaped
	json    bool // the value is JSON
}

// body is the body of a request.
type body struct {
	media    string
	required bool
	whole    string            // the argument that is the body; "" if fields are its members
	fields   map[string]string // the argument of each member
	binary   map[string]bool   // members whose text is base64; "" is the whole body
	styles   map[string]parameter
	types    map[string]string // media types of parts
}

// methods are the methods that operations have, in the order of the tools of one path.
var methods = []string{"get", "head", "options", "trace", "post", "put", "patch", "delete"}

// reader makes operations of a document.
type reader struct {
	*schemas
	at       string          // of the document
	names    map[string]bool // that tools have
	selected []string        // see operation.selects
}

// maxSchemas bounds the schemas of all tools of a document, in bytes. Those of GitHub's have 6 MB.
const maxSchemas = 512 << 20

// operations are the selected operations of a document in its order, and the number of all.
// The others cost nothing but their name.
func (r *reader) operations(paths []byte) (out []operation, count int, err error) {
	for path, text := range members(paths) {
		text, at, err := r.library.follow(text, place{r.at, "/paths/" + escape(path)})
		if err != nil {
			return nil, count, fmt.Errorf("paths.%s: %w", path, err)
		}
		all := index(text)
		for _, method := range methods {
			if all[method] == nil {
				continue
			}
			count++
			op := operation{method: strings.ToUpper(method), path: path}
			text := index(all[method])
			op.tags, op.tool.Name = texts(text["tags"]), r.name(unquote(text["operationId"]), method, path)
			if !op.selects(r.selected) {
				continue
			}
			if err := r.operation(&op, text, all, at); err != nil {
				return nil, count, fmt.Errorf("%s %s: %w", op.method, path, err)
			}
			if r.written += len(op.tool.InputSchema) + len(op.tool.OutputSchema); r.written > maxSchemas {
				return nil, count, fmt.Errorf("the schemas of its operations have more than %d MB; name fewer \"operations\" of the server", maxSchemas>>20)
			}
			out = append(out, op)
		}
	}
	return out, count, nil
}

func escape(step string) string {
	return strings.ReplaceAll(strings.ReplaceAll(step, "~", "~0"), "/", "~1")
}

// operation reads an operation, which has its name, from its text. of is that of its path.
func (r *reader) operation(op *operation, text, of map[string][]byte, at place) error {
	servers := text["servers"]
	if servers == nil {
		servers = of["servers"]
	}
	op.base = firstServer(servers)
	in := &input{reader: r, at: at, taken: map[string]string{}}
	if err := in.declare(of["parameters"], text["parameters"]); err != nil {
		return err
	}
	if err := in.request(text["requestBody"]); err != nil {
		return err
	}
	op.parameters, op.body = in.parameters, in.body
	result, err := r.result(text["responses"], at)
	if err != nil {
		return err
	}
	if op.method == http.MethodHead { // its answer has no body
		result.schema, result.list = []byte(`{"type":"null"}`), false
	}
	op.accept = result.media
	op.tool = toolscript.Tool{
		Name: op.tool.Name, Description: description(text, op.method, op.path),
		InputSchema: in.schema(), OutputSchema: result.schema, Annotations: annotations(op.method), Pages: op.paged(result),
	}
	return nil
}

// description is what the document says about an operation.
func description(text map[string][]byte, method, path string) string {
	summary, more := strings.TrimSpace(unquote(text["summary"])), strings.TrimSpace(unquote(text["description"]))
	if strings.HasPrefix(more, summary) {
		summary = ""
	}
	all := strings.TrimSpace(summary + "\n\n" + more)
	if isTrue(text["deprecated"]) {
		all = strings.TrimSpace("Deprecated. " + all)
	}
	if all == "" {
		return method + " " + path
	}
	return all
}

// name is the name of a tool: operationId, else method and path. Equal names get a number.
func (r *reader) name(id, method, path string) string {
	name := strings.Trim(notInName.ReplaceAllString(id, "_"), "_")
	if name == "" {
		name = method + "_" + strings.Trim(notInName.ReplaceAllString(path, "_"), "_")
	}
	name = name[:min(len(name), 120)]
	free := name
	for n := 2; r.names[free]; n++ {
		free = fmt.Sprintf("%s_%d", name, n)
	}
	r.names[free] = true
	return free
}

func annotations(method string) (a toolscript.Annotations) {
	yes, no := true, false
	a.OpenWorld = &yes
	switch method {
	case "GET", "HEAD", "OPTIONS", "TRACE":
		a.ReadOnly, a.Destructive = &yes, &no
	case "DELETE":
		a.Destructive, a.Idempotent = &yes, &yes
	case "PUT":
		a.Idempotent = &yes
	}
	return a
}

// firstServer is the address of the first server, with the defaults of its variables.
func firstServer(servers []byte) string {
	for server := range items(servers) {
		address := unquote(member(server, "url"))
		for name, variable := range members(member(server, "variables")) {
			address = strings.ReplaceAll(address, "{"+name+"}", unquote(member(variable, "default")))
		}
		return address
	}
	return ""
}

// input collects the parameters of an operation.
type input struct {
	*reader
	at         place
	parameters []parameter
	body       *body
	taken      map[string]string // names of arguments, and what has them
	properties []property
	refs       []*def
}

// property is one argument of the tool.
type property struct {
	name     string
	schema   []byte
	required bool
}

// declare adds the parameters of an operation, which replace those of its path.
func (in *input) declare(shared, own []byte) error {
	type declared struct {
		text     []byte
		at       place
		name, in string
	}
	var all []declared
	for _, list := range [][]byte{shared, own} {
		for text := range items(list) {
			text, at, err := in.library.follow(text, in.at)
			if err != nil {
				return err
			}
			d := declared{text, at, unquote(member(text, "name")), unquote(member(text, "in"))}
			i := slices.IndexFunc(all, func(o declared) bool { return o.name == d.name && o.in == d.in })
			if i >= 0 {
				all[i] = d
				continue
			}
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
		name := d.name
		if count[name] > 1 {
			name = d.name + "_" + d.in
		}
		in.parameter(name, d.text, d.at)
	}
	return nil
}

func (in *input) parameter(name string, text []byte, at place) {
	all := index(text)
	p := parameter{name: name, wire: unquote(all["name"]), in: unquote(all["in"]), style: unquote(all["style"]), raw: isTrue(all["allowReserved"])}
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
	c := in.convert(schema, at)
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
	out.WriteString(`{"type":"object","additionalProperties":false,"properties":{`)
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
	writeDefs(&out, in.refs)
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
	b := &body{media: media, required: isTrue(all["required"]), fields: map[string]string{}, binary: map[string]bool{}, styles: map[string]parameter{}, types: map[string]string{}}
	in.body = b
	required := isTrue(all["required"])
	schema, schemaAt, err := in.library.follow(member(content, "schema"), at)
	if err != nil {
		return err
	}
	if !structured(media) || !in.flatten(schema, schemaAt) {
		c := in.convert(member(content, "schema"), at)
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
		if media, _, _ := strings.Cut(unquote(member(encoding, "contentType")), ","); media != "" && !strings.Contains(media, "*") {
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
	for _, m := range o.members {
		if in.taken[m.name] != "" {
			return false
		}
	}
	for _, m := range o.members {
		if in.readOnly(m.schema, m.at) {
			continue // the server sets it
		}
		in.body.fields[m.name] = m.name
		c, raw := in.file(m.schema, m.at)
		if in.body.binary[m.name] = raw; !raw {
			c = in.convert(m.schema, m.at)
		}
		in.add(m.name, c, "", slices.Contains(o.required, m.name), "body")
	}
	return true
}

// object collects the members of a body, also those of the parts in its allOf.
type object struct {
	in       *input
	members  []bodyMember
	has      map[string]bool
	required []string
	parts    int // schemas that were read
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
	kind := unquote(all["type"])
	if kind != "object" && kind != "" || all["properties"] == nil && all["allOf"] == nil || isTrue(all["nullable"]) {
		return false
	}
	for _, other := range []string{"anyOf", "oneOf", "not", "if", "patternProperties", "minProperties"} {
		if all[other] != nil {
			return false
		}
	}
	if more := all["additionalProperties"]; more != nil && string(more) != "false" {
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
	const one = `{"type":"string","contentEncoding":"base64","description":"the bytes of a file, as base64"}`
	schema, at, err := in.library.follow(schema, at)
	if err != nil {
		return c, false
	}
	if unquote(member(schema, "type")) == "array" {
		if schema, _, err = in.library.follow(member(schema, "items"), at); err != nil || !isFile(schema) {
			return c, false
		}
		return converted{text: []byte(`{"type":"array","items":` + one + `}`)}, true
	}
	return converted{text: []byte(one)}, isFile(schema)
}

// isFile reports whether a schema is that of bytes: in OpenAPI 3.1, of a text with a media type.
func isFile(schema []byte) bool {
	all := index(schema)
	return unquote(all["format"]) == "binary" || all["contentMediaType"] != nil && all["contentEncoding"] == nil
}

func (in *input) readOnly(property []byte, at place) bool {
	resolved, _, err := in.library.follow(property, at)
	return err == nil && isTrue(member(resolved, "readOnly"))
}

// bestMedia is the media type of a body or an answer that is used: JSON before forms, before
// texts, before bytes.
func bestMedia(content []byte) (media string, chosen []byte) {
	best := len(ranks)
	for name, value := range members(content) {
		rank := slices.IndexFunc(ranks, func(fits func(string) bool) bool { return fits(name) })
		if rank < best {
			best, media, chosen = rank, name, value
		}
	}
	return media, chosen
}

var ranks = []func(string) bool{
	isJSON, form, isMultipart,
	func(media string) bool { return strings.HasPrefix(media, "text/") },
	func(string) bool { return true },
}

func isJSON(media string) bool {
	media, _, _ = strings.Cut(media, ";")
	media = strings.ToLower(strings.TrimSpace(media))
	return media == "application/json" || media == "text/json" || media == "*/*" || strings.HasSuffix(media, "+json")
}

func form(media string) bool { return strings.HasPrefix(media, "application/x-www-form-urlencoded") }

func isMultipart(media string) bool { return strings.HasPrefix(media, "multipart/form-data") }

// structured reports whether a body has members.
func structured(media string) bool { return isJSON(media) || form(media) || isMultipart(media) }

// result is what a document says about the answer.
type result struct {
	schema []byte // nil if it is not known
	media  string // "" if it is not known
	links  bool   // it has the header Link
	list   bool   // it is an array
}

// hasLinks reports whether the header Link is one of those that an answer has.
func hasLinks(headers []byte) bool {
	for name := range members(headers) {
		if strings.EqualFold(name, "Link") {
			return true
		}
	}
	return false
}

// result is the answer of success with the lowest number that has content. It may also be null
// if another one has none.
func (r *reader) result(responses []byte, at place) (out result, err error) {
	codes := map[string][]byte{}
	for code, text := range members(responses) {
		if strings.HasPrefix(code, "2") {
			codes[strings.ToUpper(code)] = text
		}
	}
	var found, empty, silent bool
	var schema converted
	for _, code := range slices.Sorted(maps.Keys(codes)) {
		text, at, err := r.library.follow(codes[code], at)
		if err != nil {
			return out, err
		}
		media, content := bestMedia(member(text, "content"))
		switch {
		case media == "" && (code == "204" || code == "205"):
			empty = true
		case media == "":
			silent = true // many documents leave the content out
		case !found:
			found = true
			out, schema = r.content(media, member(content, "schema"), at)
			out.links = hasLinks(member(text, "headers"))
		}
	}
	switch {
	case !found && empty && !silent:
		schema.text = []byte(`{"type":"null"}`)
	case schema.text != nil && (empty || silent):
		schema = schema.orNull()
	}
	out.schema = schema.whole()
	return out, nil
}

// content is the result of an answer with a media type, and its schema without $defs, which
// is empty if it is not known.
func (r *reader) content(media string, schema []byte, at place) (result, converted) {
	switch {
	case isJSON(media) && schema != nil:
		top, _, err := r.library.follow(schema, at)
		list := err == nil && unquote(member(top, "type")) == "array"
		return result{media: jsonMedia(media), list: list}, r.convert(schema, at)
	case strings.HasPrefix(media, "text/") && !isJSON(media):
		return result{media: media}, converted{text: []byte(`{"type":"string"}`)}
	default:
		return result{media: media}, converted{} // bytes
	}
}
