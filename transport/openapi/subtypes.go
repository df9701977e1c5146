package openapi

// subtype is a schema that a value of the discriminator selects.
type subtype struct {
	value string
	at    place
}

// maxSubtypes is the maximum number of alternatives in the union of one schema.
const maxSubtypes = 1000

// subtypes returns the schemas that a discriminator selects: the schemas in its mapping, or, without
// a mapping, all schemas that extend the schema by allOf, even indirectly. It returns nil if oneOf
// or anyOf lists the subtypes.
func (s *schemas) subtypes(schema []byte, at place) (out []subtype) {
	all := index(schema)
	discriminator := all["discriminator"]
	if !isObject(discriminator) || all["oneOf"] != nil || all["anyOf"] != nil {
		return nil
	}
	for value, ref := range members(member(discriminator, "mapping")) {
		text := unquote(ref)
		if notInName().ReplaceAllString(text, "") == text { // text is the name of a schema and not a reference
			text = "#/components/schemas/" + text
		}
		if to, err := s.library.refer(at.document, text); err == nil && len(out) < maxSubtypes {
			if _, err := s.library.find(to); err == nil {
				out = append(out, subtype{value, to})
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	children := s.children(at.document)
	known := map[place]bool{at: true}
	for queue := []place{at}; len(queue) > 0; queue = queue[1:] {
		for _, child := range children[queue[0]] {
			to := place{at.document, "/components/schemas/" + escape(child)}
			if !known[to] && len(out) < maxSubtypes {
				known[to] = true
				out = append(out, subtype{child, to})
				queue = append(queue, to)
			}
		}
	}
	return out
}

// children maps the place of a schema to the names of the schemas of the document that
// extend it directly by allOf.
func (s *schemas) children(document string) map[place][]string {
	if known, has := s.extended[document]; has {
		return known
	}
	found := map[place][]string{}
	s.extended[document] = found
	text, err := s.library.load(document)
	if err != nil {
		return found
	}
	for name, schema := range members(member(member(text, "components"), "schemas")) {
		for part := range items(member(schema, "allOf")) {
			if ref := reference(part); ref != nil {
				if base, err := s.library.refer(document, unquote(ref)); err == nil {
					found[base] = append(found[base], name)
				}
			}
		}
	}
	return found
}

// union writes the alternatives of a schema with a discriminator. In a response, the discriminator
// may also have values that the document does not list.
func (w *writer) union(discriminator []byte, all []subtype) {
	name := quote(written(member(discriminator, "propertyName")))
	w.out.WriteString(`{"anyOf":[`)
	for i, t := range all {
		if i > 0 {
			w.out.WriteByte(',')
		}
		w.out.WriteString(`{"allOf":[{`)
		w.refer(use{t.at, w.at.side, t.at == w.at.place}, func(key string) { w.out.Write(quote(key)); w.out.WriteByte(':') })
		w.out.WriteString(`},{"type":"object","required":[`)
		w.out.Write(name)
		w.out.WriteString(`],"properties":{`)
		w.out.Write(name)
		w.out.WriteString(`:{"const":`)
		w.out.Write(quote(t.value))
		w.out.WriteString(`}}}]}`)
	}
	if w.at.side == response {
		w.out.WriteString(`,{`)
		w.refer(use{w.at.place, w.at.side, true}, func(key string) { w.out.Write(quote(key)); w.out.WriteByte(':') })
		w.out.WriteByte('}')
	}
	w.out.WriteString(`]}`)
}
