package openapi

import "fmt"

// anchor returns the schema in a document whose $anchor or $dynamicAnchor is p.pointer. OpenAPI
// 3.1 has anchors, because its schemas are JSON Schemas.
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

// collectAnchors adds the objects with an anchor in a part of a document. If several objects have
// the same anchor, it adds the first one.
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
