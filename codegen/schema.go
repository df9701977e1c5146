package codegen

import "slices"

// Limits of the types of one schema.
const (
	maxDepth   = 64   // levels of nested subschemas
	maxAliases = 1000 // named declarations
)

// converter converts one schema to a type, and to the declarations that the type refers to.
type converter struct {
	doc     *document
	open    bool // objects allow undeclared properties if the schema does not mention them
	input   bool // the schema is the schema of arguments
	large   bool // large integers may be a bigint
	root    *alias
	aliases map[*value]*alias
	order   []*alias // in order of discovery; the root comes first
	taken   map[string]bool
	warn    func(at *path, format string, args ...any)
}

// declarations returns the declarations of the schema: the one called name first, then
// those that it refers to.
func (c *converter) declarations(name string) []*alias {
	c.aliases, c.taken = map[*value]*alias{}, map[string]bool{}
	c.root = &alias{name: name, schema: c.doc.root}
	c.aliases[c.doc.root] = c.root
	c.order = []*alias{c.root}
	// A queue instead of recursion: a chain of references needs no stack.
	for i := 0; i < len(c.order); i++ {
		a := c.order[i]
		a.typ = c.convert(a.schema, a.at, 0)
	}
	c.finish()
	return c.order
}

// convert returns the type of the values that a schema allows. If TypeScript cannot
// express the schema, the type allows more, never less; the package documentation
// lists the exceptions.
func (c *converter) convert(v *value, at *path, depth int) *typ {
	switch {
	case v.isTrue():
		return unknown
	case v.isFalse():
		return never
	case v.is(cut) || depth > maxDepth:
		c.warn(at, "nested deeper than %d levels", maxDepth)
		return unknown
	case !v.is(object):
		c.warn(at, "not a schema: it must be an object or a boolean")
		return unknown
	}
	t := c.fixed(v, at)
	if t == nil {
		t = c.constrained(v, at, depth)
	}
	if v.get("nullable").isTrue() { // OpenAPI 3.0
		t = union(t, word("null"))
	}
	return t
}

// neighbours says whether references or branches of a schema add to the type of its other keywords.
type neighbours uint8

const (
	alone  neighbours = iota
	mixed             // references or branches add to the type, and all additions are known
	hidden            // some additions are not known: the object may have any further property
)

// constrained returns the type of all keywords except const and enum.
func (c *converter) constrained(v *value, at *path, depth int) *typ {
	if not := v.get("not"); not.isTrue() || not.is(object) && len(not.members) == 0 {
		return never
	}
	others, with := c.others(v, at, depth)
	t := intersection(append([]*typ{c.typed(v, at, depth, with)}, others...)...)
	if t == unknown && v.get("type").str() == "object" {
		return openObject()
	}
	return t
}

// others returns the types of references and branches. A value must have all of these types.
func (c *converter) others(v *value, at *path, depth int) (types []*typ, with neighbours) {
	types, known := c.references(v, at)
	for _, key := range []string{"oneOf", "anyOf"} {
		branches := c.branches(c.list(v, key, at), key, at, depth)
		if len(branches) == 0 {
			continue
		}
		t := union(branches...)
		if t == unknown && slices.ContainsFunc(branches, func(b *typ) bool { return b != unknown }) {
			known = false
		}
		types = append(types, t)
	}
	types = append(types, c.branches(c.list(v, "allOf", at), "allOf", at, depth)...)
	switch {
	case !known:
		return types, hidden
	case len(types) > 0:
		return types, mixed
	}
	return nil, alone
}

// list returns the array of schemas under key. An empty array is ignored with a
// warning.
func (c *converter) list(v *value, key string, at *path) []*value {
	branches := v.get(key)
	if branches == nil {
		return nil
	}
	if !branches.is(array) || len(branches.items) == 0 {
		c.warn(at.to(key), "not a list of schemas")
		return nil
	}
	return branches.items
}

func (c *converter) branches(branches []*value, key string, at *path, depth int) []*typ {
	types := make([]*typ, 0, len(branches))
	for i, b := range branches {
		if b.is(object) && hasNoType(b) {
			types = append(types, unknown)
			continue
		}
		types = append(types, c.convert(b, at.item(key, i), depth+1))
	}
	return types
}

// hasNoType reports whether a branch has only keywords that give no type, such as {"required":
// ["a"]}, which requires a property that another schema declares.
func hasNoType(v *value) bool {
	for _, m := range v.members {
		switch m.key {
		case "required", "title", "description", "$comment", "if", "then", "else":
		case "not":
			if !m.value.is(object) || len(m.value.members) == 0 {
				return false // "not": true and "not": {} allow no value
			}
		default:
			return false
		}
	}
	return true
}

// typed returns the type of the keyword "type" and of the keywords for values of that type.
func (c *converter) typed(v *value, at *path, depth int, with neighbours) *typ {
	if t := v.get("type"); t.is(text) { // the common case
		return c.ofType(t.text, v, at, depth, with)
	}
	words := c.typeWords(v, at)
	types := make([]*typ, len(words))
	for i, w := range words {
		types[i] = c.ofType(w, v, at, depth, with)
	}
	if len(types) == 0 {
		return unknown
	}
	return union(types...)
}

// typeWords returns the types in the keyword "type" of a schema. Without that keyword, it returns the types that
// other keywords imply.
func (c *converter) typeWords(v *value, at *path) []string {
	var words []string
	switch t := v.get("type"); {
	case t.is(array):
		for i, item := range t.items {
			if !item.is(text) {
				c.warn(at.item("type", i), "not the name of a type")
				return nil
			}
			words = append(words, item.text)
		}
		return words
	case t != nil:
		c.warn(at.to("type"), "not the name of a type or a list of names")
		return nil
	}
	opened := v.get("unevaluatedProperties").isTrue()
	if opened || v.has("properties", "patternProperties", "additionalProperties", "required") {
		words = append(words, "object")
	}
	if v.has("items", "prefixItems") {
		words = append(words, "array")
	}
	return words
}

// simple maps the types without keywords of their own to TypeScript types.
var simple = map[string]*typ{
	"string": word("string"), "number": word("number"), "integer": word("number"),
	"boolean": word("boolean"), "null": word("null"), "any": unknown,
}

func (c *converter) ofType(name string, v *value, at *path, depth int, with neighbours) *typ {
	switch name {
	case "object":
		return c.object(v, at, depth, with)
	case "array":
		return c.array(v, at, depth)
	case "integer":
		if c.large && mayBeLarge(v) {
			return anyInteger
		}
	}
	if t := simple[name]; t != nil {
		return t
	}
	c.warn(at.to("type"), "unknown type %q; known are string, number, integer, boolean, null, object and array", name)
	return unknown
}

// strings returns the strings of a list. Other items are left out with a warning.
func (c *converter) strings(list *value, at *path) []string {
	if list == nil {
		return nil
	}
	if !list.is(array) {
		c.warn(at, "not a list of names")
		return nil
	}
	var all []string
	for _, item := range list.items {
		if item.is(text) {
			all = append(all, item.text)
		}
	}
	if len(all) < len(list.items) {
		c.warn(at, "not all of the list are names")
	}
	return slices.Clip(all)
}
