package validate

import (
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// identity renames the keyword for the URI of a schema, id or $id, to the name in the schema's draft.
func (r *repairer) identity(s map[string]any) {
	if id, ok := s["id"].(string); ok && r.oldID {
		s["$id"] = id
	}
	if id, ok := s["$id"].(string); ok && strings.HasPrefix(id, "#") && r.draft != jsonschema.Draft7 {
		delete(s, "$id")
		s["$anchor"] = id[1:]
	}
}

// siblings changes a schema so that properties next to a reference apply. Draft 7 ignores them.
func (r *repairer) siblings(s map[string]any) {
	ref, refers := s["$ref"]
	if _, ok := s["properties"].(map[string]any); !ok || !refers || r.draft != jsonschema.Draft7 {
		return
	}
	parts, _ := s["allOf"].([]any)
	s["allOf"] = append(slices.Clone(parts), map[string]any{"$ref": ref})
	delete(s, "$ref")
}

// dependencies converts dependentRequired and dependentSchemas to dependencies in draft 7.
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

// limits converts the exclusive limits of draft 4 and OpenAPI 3.0 to those of later drafts.
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

// positions converts the schemas of array positions to the notation of the draft. If a
// schema has both notations, prefixItems counts.
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
