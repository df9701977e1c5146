package openapi

import "fmt"

// anchor returns the schema of a document whose $anchor or $dynamicAnchor is p.pointer.
// OpenAPI 3.1 takes anchors from JSON Schema.
func (l *library) anchor(p place, document []byte) ([]byte, error) {
	known, has := l.anchors[p.document]
	if !has {
		known = map[string][]byte{}
		l.anchors[p.document] = known
		collectAnchors(document, known, 0)
	}
	if schema := known[p.pointer]; schema != nil {
		return schema, nil
	}
	return nil, fmt.Errorf("the reference #%.200s leads to no anchor", p.pointer)
}

// collectAnchors adds the objects in a part of a document that have an anchor. If several
// have the same anchor, the first one is added.
func collectAnchors(value []byte, to map[string][]byte, depth int) {
	switch {
	case depth > maxDepth:
	case isObject(value):
		for key, inner := range members(value) {
			if name := unquote(inner); (key == "$anchor" || key == "$dynamicAnchor") && name != "" && to[name] == nil {
				to[name] = value
			}
			collectAnchors(inner, to, depth+1)
		}
	case isArray(value):
		for inner := range items(value) {
			collectAnchors(inner, to, depth+1)
		}
	}
}
