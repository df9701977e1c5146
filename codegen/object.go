package codegen

// object is the type of objects. A schema that does not mention
// additionalProperties is closed, although JSON Schema leaves it open: then a
// misspelt argument is an error. One that names no property at all is open.
func (c *converter) object(v *value, at *path, depth int, with company) *typ {
	props := c.properties(v, at, depth)
	index, closed := c.further(v, at, depth, with)
	if len(props) == 0 && index != nil {
		if named := c.enumeratedNames(v, index); named != nil {
			return objectOf(named, nil)
		}
	}
	props = c.required(props, v, at, index)
	if len(props) > 0 || closed {
		props, index = c.conditional(props, index, v, depth)
	}
	together := c.together(props, v, at)
	switch {
	case len(props) > 0:
	case closed && index == nil:
		return noMembers
	case index == nil && with != alone:
		return unknown // the properties are in the keywords beside it
	case index == nil:
		return openObject()
	}
	if index != nil {
		index = cover(index, props)
	}
	return intersection(objectOf(props, index), together)
}

// properties are the declared ones, none of them required.
func (c *converter) properties(v *value, at *path, depth int) []property {
	declared := v.get("properties")
	if declared == nil {
		return nil
	}
	if !declared.is(object) {
		c.warn(at.to("properties"), "not an object")
		return nil
	}
	props := make([]property, 0, len(declared.members))
	under := at.to("properties")
	for _, m := range declared.members {
		t := c.convert(m.value, under.to(m.key), depth+1)
		props = append(props, property{key: m.key, optional: true, typ: t, schema: m.value})
	}
	return props
}

// further is the type of properties that are not declared, nil when there may
// be none; closed tells that the schema itself says so.
func (c *converter) further(v *value, at *path, depth int, with company) (index *typ, closed bool) {
	additional, rest := v.get("additionalProperties"), v.get("unevaluatedProperties")
	switch {
	case additional.isFalse():
		closed = true
	case additional != nil:
		index = c.convert(additional, at.to("additionalProperties"), depth+1)
	case with == hidden, v.has("properties") && !v.get("properties").is(object):
		index = unknown
	case rest.isFalse():
		closed = with == alone // it spares what the keywords beside it declare
	case rest != nil, c.open:
		index = unknown // an index signature cannot spare what other keywords declare
	}
	patterns := v.get("patternProperties")
	if patterns == nil {
		return index, closed
	}
	if !patterns.is(object) {
		c.warn(at.to("patternProperties"), "not an object")
		return unknown, closed
	}
	types := []*typ{never}
	if index != nil {
		types[0] = index
	}
	for _, m := range patterns.members {
		types = append(types, c.convert(m.value, at.to("patternProperties", m.key), depth+1))
	}
	return union(types...), closed
}

// required marks the required properties and adds those that are not declared.
func (c *converter) required(props []property, v *value, at *path, index *typ) []property {
	names := c.strings(v.get("required"), at.to("required"))
	if len(names) == 0 {
		return props
	}
	undeclared := unknown
	if index != nil && !v.has("patternProperties") {
		undeclared = index
	}
	position := make(map[string]int, len(props))
	for i, p := range props {
		position[p.key] = i
	}
	for _, name := range names {
		if i, ok := position[name]; ok {
			props[i].optional = false
			continue
		}
		position[name] = len(props)
		props = append(props, property{key: name, typ: undeclared})
	}
	return props
}

// conditional adds the properties that only conditions speak of: a closed type
// without them would refuse what the schema allows. What they are depends on
// the condition, so their type is unknown. When a condition names properties in
// a way that is not followed, index becomes unknown: the object is open.
func (c *converter) conditional(props []property, index *typ, v *value, depth int) ([]property, *typ) {
	under := conditions(v, depth)
	if len(under) == 0 {
		return props, index
	}
	known := make(map[string]bool, len(props))
	for _, p := range props {
		known[p.key] = true
	}
	for _, under := range under {
		if under.has("$ref", "$dynamicRef", "anyOf", "oneOf", "patternProperties") {
			index = unknown
		}
		if declared := under.get("properties"); declared.is(object) {
			for _, m := range declared.members {
				if !known[m.key] {
					known[m.key] = true
					props = append(props, property{key: m.key, optional: true, typ: unknown, schema: m.value})
				}
			}
		}
	}
	return props, index
}

// conditions are the schemas that apply to the same object as v under a
// condition, and those inside them.
func conditions(v *value, depth int) []*value {
	if depth > maxDepth {
		return nil
	}
	var all []*value
	add := func(under *value) {
		all = append(append(all, under), conditions(under, depth+1)...)
		all = append(all, under.list("allOf")...)
	}
	for _, key := range []string{"if", "then", "else"} {
		if under := v.get(key); under != nil {
			add(under)
		}
	}
	for _, key := range []string{"dependentSchemas", "dependencies"} {
		if named := v.get(key); named.is(object) {
			for _, m := range named.members {
				add(m.value)
			}
		}
	}
	for _, m := range v.list("allOf") {
		all = append(all, conditions(m, depth+1)...)
	}
	return all
}

// maxNames is up to how many names propertyNames becomes a list of properties.
const maxNames = 100

// enumeratedNames are the properties of a map whose keys are listed.
func (c *converter) enumeratedNames(v *value, index *typ) []property {
	names := v.get("propertyNames").get("enum")
	if !names.is(array) || len(names.items) == 0 || len(names.items) > maxNames || v.has("patternProperties", "required") {
		return nil
	}
	var props []property
	for _, name := range names.items {
		if !name.is(text) {
			return nil
		}
		props = append(props, property{key: name.text, optional: true, typ: index})
	}
	return props
}

// cover widens an index signature to the types of all declared properties, or
// TypeScript refuses the declaration (TS2411). Large types are not repeated but
// make it unknown: repeated at every level, they would double with each.
func cover(index *typ, props []property) *typ {
	types := []*typ{index}
	optional := false
	for _, p := range props {
		if p.typ.bulk > short {
			return unknown
		}
		types = append(types, p.typ)
		optional = optional || p.optional
	}
	if optional {
		types = append(types, undefined)
	}
	t := union(types...)
	if t.bulk > 4*short {
		return unknown
	}
	return t
}
