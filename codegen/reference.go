package codegen

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/toolscript/toolscript/internal/naming"
)

// references returns the types of the targets of a schema's references. known is false if
// there may be further targets.
func (c *converter) references(v *value, at *path) (types []*typ, known bool) {
	known = true
	for _, key := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
		if ref := v.get(key); ref != nil {
			t, all := c.reference(v, key, ref, at)
			types, known = append(types, t), known && all
		}
	}
	return types, known
}

// reference returns the type of the target of a reference. A dynamic reference can have
// several targets, depending on the path to it. Then the type is a union, and all is false.
func (c *converter) reference(from *value, key string, ref *value, at *path) (t *typ, all bool) {
	if !ref.is(text) {
		c.warn(at.to(key), "not a string")
		return unknown, true
	}
	targets := c.doc.targets(from, key, ref.text)
	if len(targets) == 0 {
		c.warn(at.to(key), "%q is not in this schema; other documents are never fetched", ref.text)
		return unknown, false
	}
	types := make([]*typ, len(targets))
	for i, target := range targets {
		types[i] = c.target(target, ref.text, at.to(key))
	}
	return union(types...), len(targets) == 1
}

// target returns the type of a part of the document that a reference points to.
func (c *converter) target(target *value, ref string, at *path) *typ {
	switch {
	case target.is(boolean):
		return c.convert(target, at, 0)
	case !target.is(object):
		c.warn(at, "%q is not a schema", ref)
		return unknown
	}
	a := c.aliases[target]
	switch a {
	case c.root:
		a.recursive = true
	case nil:
		if len(c.order) == maxAliases {
			c.warn(at, "more than %d references", maxAliases)
			return unknown
		}
		a = &alias{name: c.name(ref), schema: target, at: at}
		c.aliases[target] = a
		c.order = append(c.order, a)
	}
	return &typ{op: opRef, ref: a, bulk: len(a.name)}
}

// name returns an unused name for the target of a reference: the name of the root, an
// underscore, and a word that begins with a capital. Type names of tools have no underscore
// before a capital, so they cannot be equal to such a name.
func (c *converter) name(ref string) string {
	segment := ref[strings.LastIndexAny(ref, "/#")+1:]
	if decoded, err := url.PathUnescape(segment); err == nil {
		segment = decoded
	}
	base := c.root.name + "_Root"
	if segment != "" {
		base = c.root.name + "_" + naming.TypeName(naming.Identifier(unescape(segment)))
	}
	name := base
	for i := 2; c.taken[name]; i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	c.taken[name] = true
	return name
}
