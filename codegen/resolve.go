package codegen

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// document resolves the references of one schema. It never reads other documents.
type document struct {
	root   *value
	whole  *resource            // the whole schema, which contains the parts without a resource of their own
	id     string               // keyword for identities: $id, or id in draft 4
	places map[string]*value    // resources and anchors by absolute URI
	scope  map[*value]*resource // nil if no part of the schema has an identity

	dynamic map[string][]*value // dynamic anchors by their fragment, such as #name
}

// resource is a part of a schema with its own $id. References inside the part are relative to
// that URI.
type resource struct {
	base *url.URL
	root *value
}

// newDocument returns the document of a schema. identities reports whether parts may have an
// $id; nearly all schemas have none, and then newDocument does not search for them.
func newDocument(root *value, identities bool) *document {
	d := &document{root: root, whole: &resource{base: &url.URL{}, root: root}, id: "$id"}
	dialect := root.get("$schema").str()
	if strings.Contains(dialect, "draft-04") || strings.Contains(dialect, "draft-03") {
		d.id, identities = "id", true
	}
	if identities {
		d.places = map[string]*value{}
		d.scope = map[*value]*resource{}
		d.dynamic = map[string][]*value{}
		d.identify(root, d.whole)
	}
	return d
}

// identity reports whether a keyword gives a part of a schema a URI or an anchor.
func identity(keyword string) bool {
	switch keyword {
	case "$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor":
		return true
	}
	return false
}

// identify records the identities in v, and the resource of each object.
func (d *document) identify(v *value, in *resource) {
	id := v.get(d.id).str()
	switch base, err := in.base.Parse(id); {
	case id == "" || err != nil:
	case id[0] == '#': // an anchor (before draft 2019-09)
		d.places[in.base.String()+id] = v
	default:
		base.Fragment = ""
		in = &resource{base: base, root: v}
		d.places[base.String()] = v
	}
	for _, key := range []string{"$anchor", "$dynamicAnchor"} {
		if anchor := v.get(key).str(); anchor != "" {
			d.places[in.base.String()+"#"+anchor] = v
		}
	}
	if anchor := v.get("$dynamicAnchor").str(); anchor != "" {
		d.dynamic["#"+anchor] = append(d.dynamic["#"+anchor], v)
	}
	if v.get("$recursiveAnchor").isTrue() {
		d.dynamic["#"] = append(d.dynamic["#"], v)
	}
	if v.kind == object {
		d.scope[v] = in
	}
	for _, item := range v.items {
		d.identify(item, in)
	}
	for _, m := range v.members {
		d.identify(m.value, in)
	}
}

// targets returns the possible targets of the reference ref of keyword key in the
// schema from. For $ref there is one target, or none if it is not in the document. A
// dynamic reference to a dynamic anchor can mean each anchor of that name.
func (d *document) targets(from *value, key, ref string) []*value {
	target := d.resolve(from, ref)
	if target == nil {
		return nil
	}
	if _, anchor, ok := strings.Cut(ref, "#"); ok && key != "$ref" {
		if all := d.dynamic["#"+anchor]; slices.Contains(all, target) {
			return all
		}
	}
	return []*value{target}
}

// resolve returns the target of ref in the schema from; nil if it is not in the
// document.
func (d *document) resolve(from *value, ref string) *value {
	in := d.scope[from]
	if in == nil {
		in = d.whole
	}
	if fragment, here := strings.CutPrefix(ref, "#"); here && !strings.Contains(ref, "%") {
		return d.within(in, fragment) // the common case
	}
	target, err := in.base.Parse(ref)
	if err != nil {
		return nil
	}
	fragment := target.Fragment
	target.Fragment = ""
	if target.String() != in.base.String() {
		in = &resource{base: target, root: d.places[target.String()]}
	}
	return d.within(in, fragment)
}

// within resolves a fragment in a resource: a JSON pointer or an anchor.
func (d *document) within(in *resource, fragment string) *value {
	switch {
	case in.root == nil:
		return nil
	case fragment == "" || fragment[0] == '/':
		return in.root.pointer(fragment)
	}
	return d.places[in.base.String()+"#"+fragment]
}

var unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")

// unescape decodes a part of a JSON pointer.
func unescape(part string) string {
	if !strings.Contains(part, "~") {
		return part
	}
	return unescapePointer.Replace(part)
}

// pointer returns the value at a JSON pointer; nil if there is no such value.
func (v *value) pointer(pointer string) *value {
	if pointer == "" {
		return v
	}
	for part := range strings.SplitSeq(pointer[1:], "/") {
		switch {
		case v.is(object):
			v = v.get(unescape(part))
		case v.is(array):
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(v.items) {
				return nil
			}
			v = v.items[i]
		default:
			return nil
		}
	}
	return v
}

// path is the path from the root of a schema to a part of it. Only warnings need it as text.
type path struct {
	parent *path
	key    string
}

func (p *path) to(keys ...string) *path {
	for _, key := range keys {
		p = &path{p, key}
	}
	return p
}

func (p *path) item(key string, i int) *path { return p.to(key, strconv.Itoa(i)) }

var escapePointer = strings.NewReplacer("~", "~0", "/", "~1")

// String returns the path as a JSON pointer.
func (p *path) String() string {
	if p == nil {
		return ""
	}
	return p.parent.String() + "/" + escapePointer.Replace(p.key)
}
