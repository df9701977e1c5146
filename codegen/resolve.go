package codegen

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// document finds what the references of one schema point to. Nothing outside
// the schema is ever looked at.
type document struct {
	root   *value
	id     string               // the keyword of identities: $id, and id in draft 4
	places map[string]*value    // resources and anchors by absolute URI
	scope  map[*value]*resource // nil while the schema names no part of itself

	dynamic map[string][]*value // the places of dynamic anchors, by # and their name
}

// resource is a part of a schema that has an identity of its own: references
// inside it are relative to it.
type resource struct {
	base *url.URL
	root *value
}

func newDocument(root *value, source []byte) *document {
	d := &document{root: root, id: "$id"}
	dialect := root.get("$schema").str()
	if strings.Contains(dialect, "draft-04") || strings.Contains(dialect, "draft-03") {
		d.id = "id"
	}
	// Nearly all schemas have no identities, and then the walk is saved.
	for _, sign := range []string{`"$id"`, `"$anchor"`, `"$dynamicAnchor"`, `"$recursiveAnchor"`, "draft-04", "draft-03"} {
		if strings.Contains(string(source), sign) {
			d.places = map[string]*value{}
			d.scope = map[*value]*resource{}
			d.dynamic = map[string][]*value{}
			d.identify(root, &resource{base: &url.URL{}, root: root})
			break
		}
	}
	return d
}

// identify notes the identities of v and all in it, and the resource that each
// object belongs to.
func (d *document) identify(v *value, in *resource) {
	id := v.get(d.id).str()
	switch base, err := in.base.Parse(id); {
	case id == "" || err != nil:
	case id[0] == '#': // an anchor, before draft 2019-09
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

// targets are what the reference ref, of keyword key in the schema from, may
// mean: one value for $ref, none when that is not in the document. A dynamic
// reference to a dynamic anchor may mean each anchor of that name.
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

// resolve is what ref means in the schema from, or nil when that is not in the
// document.
func (d *document) resolve(from *value, ref string) *value {
	in := d.scope[from]
	if in == nil {
		in = &resource{base: &url.URL{}, root: d.root}
	}
	target, err := in.base.Parse(ref)
	if err != nil {
		return nil
	}
	fragment := target.Fragment
	target.Fragment = ""
	root := in.root
	if target.String() != in.base.String() {
		if root = d.places[target.String()]; root == nil {
			return nil
		}
	}
	if fragment == "" || fragment[0] == '/' {
		return root.pointer(fragment)
	}
	return d.places[target.String()+"#"+fragment]
}

var unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")

// pointer follows a JSON pointer, nil when it leads nowhere.
func (v *value) pointer(pointer string) *value {
	if pointer == "" {
		return v
	}
	for part := range strings.SplitSeq(pointer[1:], "/") {
		switch {
		case v.is(object):
			v = v.get(unescapePointer.Replace(part))
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

// path is the way from the root of a schema to a part of it. It is only
// written out for a warning.
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

// String is the path as a JSON pointer.
func (p *path) String() string {
	if p == nil {
		return ""
	}
	return p.parent.String() + "/" + escapePointer.Replace(p.key)
}
