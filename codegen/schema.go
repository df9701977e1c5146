package codegen

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Limits of the types that one schema makes.
const (
	maxDepth   = 64   // of subschemas inside each other
	maxAliases = 1000 // named declarations
)

// converter turns one schema into a type and the declarations it refers to.
type converter struct {
	doc     *document
	open    bool // objects that say nothing of further properties allow them
	root    *alias
	aliases map[*value]*alias
	order   []*alias // as they were met; the root comes first
	taken   map[string]bool
	warn    func(at *path, format string, args ...any)
}

// convertSchema makes the declarations of a schema: first the one called name,
// then those it refers to.
func convertSchema(name string, doc *document, open bool, warn func(*path, string, ...any)) []*alias {
	c := &converter{doc: doc, open: open, aliases: map[*value]*alias{}, taken: map[string]bool{}, warn: warn}
	c.root = &alias{name: name, schema: doc.root}
	c.aliases[doc.root] = c.root
	c.order = []*alias{c.root}
	// Targets wait in order instead of being followed at once, so that a chain of
	// references costs no stack.
	for i := 0; i < len(c.order); i++ {
		a := c.order[i]
		a.typ = c.convert(a.schema, a.at, 0)
	}
	c.finish()
	return c.order
}

// convert is the type of the values that a schema allows. Where TypeScript
// cannot say it, the type allows more, never less; only the readings that
// package documentation names are narrower.
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
		c.warn(at, "not a schema: an object or a boolean belongs here")
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

// constrained is the type of a schema without const and enum: all of what its
// keywords say.
func (c *converter) constrained(v *value, at *path, depth int) *typ {
	if not := v.get("not"); not.isTrue() || not.is(object) && len(not.members) == 0 {
		return never
	}
	beside := v.has("$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf")
	parts := []*typ{c.typed(v, at, depth, beside)}
	if ref := v.get("$ref"); ref != nil {
		parts = append(parts, c.reference(v, ref, at))
	}
	for _, key := range []string{"oneOf", "anyOf"} {
		if branches := c.list(v, key, at); branches != nil {
			parts = append(parts, union(c.branches(branches, key, at, depth)...))
		}
	}
	parts = append(parts, c.branches(c.list(v, "allOf", at), "allOf", at, depth)...)
	t := intersection(parts...)
	if t == unknown && v.get("type").str() == "object" {
		return openObject()
	}
	return t
}

// list is the array of schemas under key; an empty one says nothing.
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
		if b.is(object) && saysNoType(b) {
			types = append(types, unknown)
			continue
		}
		types = append(types, c.convert(b, at.item(key, i), depth+1))
	}
	return types
}

// saysNoType reports whether a branch has only keywords that no type can
// express: {"required": ["a"]} demands a property that is typed elsewhere.
func saysNoType(v *value) bool {
	for _, m := range v.members {
		switch m.key {
		case "required", "title", "description", "$comment", "if", "then", "else":
		case "not":
			if !m.value.is(object) || len(m.value.members) == 0 {
				return false // not: true and not: {} allow nothing
			}
		default:
			return false
		}
	}
	return true
}

// typed is what type and the keywords of single types say. beside tells that
// other keywords of the schema add to it.
func (c *converter) typed(v *value, at *path, depth int, beside bool) *typ {
	words := c.typeWords(v, at)
	types := make([]*typ, len(words))
	for i, w := range words {
		types[i] = c.ofType(w, v, at, depth, beside)
	}
	if len(types) == 0 {
		return unknown
	}
	return union(types...)
}

// typeWords are the types that a schema names, or those its keywords speak of.
func (c *converter) typeWords(v *value, at *path) []string {
	var words []string
	switch t := v.get("type"); {
	case t.is(text):
		return []string{t.text}
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

// simple are the types that need no further keyword.
var simple = map[string]*typ{
	"string": word("string"), "number": word("number"), "integer": word("number"),
	"boolean": word("boolean"), "null": word("null"), "any": unknown,
}

func (c *converter) ofType(name string, v *value, at *path, depth int, beside bool) *typ {
	switch name {
	case "object":
		return c.object(v, at, depth, beside)
	case "array":
		return c.array(v, at, depth)
	}
	if t := simple[name]; t != nil {
		return t
	}
	c.warn(at.to("type"), "unknown type %q; known are string, number, integer, boolean, null, object and array", name)
	return unknown
}

// reference is the type of what $ref points to.
func (c *converter) reference(from, ref *value, at *path) *typ {
	if !ref.is(text) {
		c.warn(at.to("$ref"), "not a string")
		return unknown
	}
	target := c.doc.resolve(from, ref.text)
	switch {
	case target == nil:
		c.warn(at.to("$ref"), "%q is not in this schema; other documents are never fetched", ref.text)
		return unknown
	case target.is(boolean):
		return c.convert(target, at, 0)
	case !target.is(object):
		c.warn(at.to("$ref"), "%q is not a schema", ref.text)
		return unknown
	}
	a := c.aliases[target]
	switch a {
	case c.root:
		a.recursive = true
	case nil:
		if len(c.order) == maxAliases {
			c.warn(at.to("$ref"), "more than %d references", maxAliases)
			return unknown
		}
		a = &alias{name: c.name(ref.text), schema: target, at: at.to("$ref")}
		c.aliases[target] = a
		c.order = append(c.order, a)
	}
	return &typ{op: opRef, ref: a, bulk: len(a.name)}
}

// name is a free name for the target of a reference: the root's, _ and a
// capital. No type of a tool has a _ before a capital, so it collides with none.
func (c *converter) name(ref string) string {
	segment := ref[strings.LastIndexAny(ref, "/#")+1:]
	if decoded, err := url.PathUnescape(segment); err == nil {
		segment = decoded
	}
	base := c.root.name + "_Root"
	if segment != "" {
		base = c.root.name + "_" + typePart(Identifier(unescapePointer.Replace(segment)))
	}
	name := base
	for i := 2; c.taken[name]; i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	c.taken[name] = true
	return name
}

// strings are the strings of a list; other items are left out with a warning.
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
