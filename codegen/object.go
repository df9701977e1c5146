package codegen

// object returns the type of an object schema. A schema that does not mention
// additionalProperties becomes a closed type, so that misspelt arguments are errors; in JSON
// Schema it would be open. A schema without named properties becomes an open type.
func (c *converter) object(v *value, at *path, depth int, with neighbours) *typ {
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
	case closed && index == nil && with == alone:
		return noMembers
	case index == nil && with != alone:
		return together // other keywords of the schema declare the properties
	case index == nil:
		return intersection(openObject(), together)
	}
	if index != nil {
		index = cover(index, props)
	}
	return intersection(objectOf(props, index), together)
}

// properties returns the declared properties, all of them optional.
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
		props = append(props, property{key: m.key, optional: true, typ: t, schema: m.value, rules: c.rules(m.value)})
	}
	return props
}

// further returns the type of undeclared properties; nil if there can be none. closed
// reports whether the schema itself forbids them.
func (c *converter) further(v *value, at *path, depth int, with neighbours) (index *typ, closed bool) {
	additional, rest := v.get("additionalProperties"), v.get("unevaluatedProperties")
	switch {
	case additional.isFalse():
		closed = true
	case additional != nil:
		index = c.convert(additional, at.to("additionalProperties"), depth+1)
	case with == hidden, v.has("properties") && !v.get("properties").is(object):
		index = unknown
	case rest.isFalse():
		closed = with == alone // unevaluatedProperties allows the properties of the other keywords
	case rest != nil, c.open:
		index = unknown // an index signature would also apply to the properties of the other keywords
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

// required marks the required properties, and adds required properties that are not declared.
func (c *converter) required(props []property, v *value, at *path, index *typ) []property {
	names := c.strings(v.get("required"), at.to("required"))
	for i, part := range v.list("allOf") {
		if part.is(object) && hasNoType(part) {
			names = append(names, c.strings(part.get("required"), at.item("allOf", i).to("required"))...)
		}
	}
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
			props[i].optional = props[i].optional && c.hasDefault(props[i].schema)
			continue
		}
		position[name] = len(props)
		props = append(props, property{key: name, typ: undeclared})
	}
	return props
}

// conditional adds the properties that only conditional schemas declare: without them, a
// closed type would reject values that the schema allows. Their type is unknown, because it
// depends on the condition. If a conditional schema declares properties with unsupported
// keywords, conditional opens the object by setting index to unknown.
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
					props = append(props, property{key: m.key, optional: true, typ: unknown, schema: m.value, rules: c.rules(m.value)})
				}
			}
		}
	}
	return props, index
}

// conditions returns the schemas in v that apply to the same object under a condition,
// including nested ones.
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
		if under := v.get(key); under != nil && v.has("if") {
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

// maxNames is the maximum number of names in propertyNames that become properties.
const maxNames = 100

// enumeratedNames returns the properties of an object whose propertyNames has an enum.
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

// cover widens an index signature so that it includes the types of all declared properties, as
// TypeScript requires (TS2411). With large types it returns unknown, because repeating them
// would double the text at each level.
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
