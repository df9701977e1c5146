package codegen

import (
	"net/url"
	"strconv"
	"strings"
)

// document finds what the references of one schema point to. Nothing outside
// the schema is ever looked at.
type document struct {
	root   *value
	places map[string]*value    // resources and anchors by absolute URI
	scope  map[*value]*resource // nil while the schema names no part of itself
}

// resource is a part of a schema that has an identity of its own: references
// inside it are relative to it.
type resource struct {
	base *url.URL
	root *value
}

func newDocument(root *value, source []byte) *document {
	d := &document{root: root}
	// Nearly all schemas have no identities, and then the walk is saved.
	if strings.Contains(string(source), `"$id"`) || strings.Contains(string(source), `"$anchor"`) {
		d.places = map[string]*value{}
		d.scope = map[*value]*resource{}
		d.identify(root, &resource{base: &url.URL{}, root: root})
	}
	return d
}

// identify notes the identities of v and all in it, and the resource that each
// object belongs to.
func (d *document) identify(v *value, in *resource) {
	if id := v.get("$id").str(); id != "" {
		if base, err := in.base.Parse(id); err == nil {
			base.Fragment = ""
			in = &resource{base: base, root: v}
			d.places[base.String()] = v
		}
	}
	if anchor := v.get("$anchor").str(); anchor != "" {
		d.places[in.base.String()+"#"+anchor] = v
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
