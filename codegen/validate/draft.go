package validate

import (
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// identity writes the identity of a schema as its draft does.
func (r *repairer) identity(s map[string]any) {
	if id, ok := s["id"].(string); ok && r.oldID {
		s["$id"] = id
	}
	if id, ok := s["$id"].(string); ok && strings.HasPrefix(id, "#") && r.draft != jsonschema.Draft7 {
		delete(s, "$id")
		s["$anchor"] = id[1:]
	}
}

// siblings lets the properties next to a reference apply, which draft 7 ignores.
func (r *repairer) siblings(s map[string]any) {
	ref, refers := s["$ref"]
	if _, ok := s["properties"].(map[string]any); !ok || !refers || r.draft != jsonschema.Draft7 {
		return
	}
	parts, _ := s["allOf"].([]any)
	s["allOf"] = append(slices.Clone(parts), map[string]any{"$ref": ref})
	delete(s, "$ref")
}

// dependencies writes the keywords of draft 2019-09 about dependent members as draft 7 does.
func (r *repairer) dependencies(s map[string]any) {
	if r.draft != jsonschema.Draft7 {
		return
	}
	for _, keyword := range []string{"dependentRequired", "dependentSchemas"} {
		named, ok := s[keyword].(map[string]any)
		if !ok {
			continue
		}
		all, _ := s["dependencies"].(map[string]any)
		all = maps.Clone(all)
		if all == nil {
			all = map[string]any{}
		}
		for name, needs := range named {
			if _, given := all[name]; !given {
				all[name] = needs
			}
		}
		s["dependencies"] = all
		delete(s, keyword)
	}
}

// limits writes the exclusive limits of draft 4 and of OpenAPI 3.0 as later drafts do.
func limits(s map[string]any) {
	for exclusive, limit := range map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"} {
		is, ok := s[exclusive].(bool)
		if !ok {
			continue
		}
		delete(s, exclusive)
		if value, given := s[limit]; is && given {
			s[exclusive] = value
			delete(s, limit)
		}
	}
}

// positions writes the schemas of the positions of an array as the draft does. Where both
// notations are given, prefixItems counts.
func (r *repairer) positions(s map[string]any) {
	list, old := s["items"].([]any)
	first, given := s["prefixItems"]
	rest, further := s["items"], "additionalItems"
	switch {
	case given && r.draft != jsonschema.Draft2020:
		s["items"] = first
	case given && old:
		delete(s, "items")
		return
	case old && r.draft == jsonschema.Draft2020:
		s["prefixItems"] = list
		delete(s, "items")
		rest, further = s["additionalItems"], "items"
	default:
		return
	}
	delete(s, further)
	if isSchema(rest) {
		s[further] = rest
	}
}
