package codegen

// maxPositions is the maximum number of positions of a tuple type.
const maxPositions = 20

// array returns the type of an array schema. It is a tuple if positions have their own
// schemas; minItems and maxItems alone do not make a tuple.
func (c *converter) array(v *value, at *path, depth int) *typ {
	positions, key, rest := v.get("prefixItems"), "prefixItems", v.get("items")
	itemsKey := "items"
	if positions == nil && rest.is(array) { // before draft 2020-12
		positions, key, rest, itemsKey = rest, "items", v.get("additionalItems"), "additionalItems"
	}
	element := unknown
	if rest != nil && !rest.is(array) {
		element = c.convert(rest, at.to(itemsKey), depth+1)
	}
	if positions == nil {
		return arrayOf(element)
	}
	if !positions.is(array) {
		c.warn(at.to(key), "not a list of schemas")
		return arrayOf(unknown)
	}
	types := make([]*typ, 0, len(positions.items))
	for i, p := range positions.items {
		types = append(types, c.convert(p, at.item(key, i), depth+1))
	}
	return tuple(types, element, v)
}

// tuple returns the tuple of positions, with further elements of type rest if rest is not nil.
func tuple(positions []*typ, rest *typ, v *value) *typ {
	if len(positions) > maxPositions {
		return arrayOf(union(append(positions, rest)...))
	}
	if most, ok := count(v.get("maxItems")); ok && most <= len(positions) {
		positions, rest = positions[:most], never
	}
	if len(positions) == 0 && rest != never {
		return arrayOf(rest)
	}
	t := &typ{op: opTuple, parts: positions, bulk: 2}
	if rest != never {
		t.rest = rest
		t.bulk += rest.bulk + 8
	}
	least, _ := count(v.get("minItems"))
	t.least = min(least, len(positions))
	for _, p := range positions {
		t.bulk += p.bulk + 3
	}
	return t
}
