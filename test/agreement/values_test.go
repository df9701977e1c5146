package agreement_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// maker makes values that a schema probably allows, and changes them. The validator decides which of
// them the schema allows.
type maker struct {
	*rand.Rand
	root any // the whole schema
}

// maxMade bounds the depth of values; objects below it have only the required members.
const maxMade = 6

// value returns a value for a schema.
func (m maker) value(schema any, depth int) any {
	s := m.merged(schema, depth)
	if s["nullable"] == true && m.IntN(4) == 0 {
		return nil
	}
	if only, ok := s["const"]; ok {
		return only
	}
	if choices, ok := s["enum"].([]any); ok && len(choices) > 0 {
		return choices[m.IntN(len(choices))]
	}
	switch m.typeOf(s) {
	case "object":
		return m.object(s, depth)
	case "array":
		return m.array(s, depth)
	case "string":
		return m.text(s)
	case "integer", "number":
		return m.number(s)
	case "boolean":
		return m.IntN(2) == 0
	case "null":
		return nil
	}
	return []any{"anything", 7.0, true, map[string]any{"any": "thing"}}[m.IntN(4)]
}

// merged returns a schema as one map, with references resolved and one alternative of each union chosen.
func (m maker) merged(schema any, depth int) map[string]any {
	own, _ := schema.(map[string]any)
	s := maps.Clone(own)
	if s == nil || depth > 4*maxMade {
		return map[string]any{}
	}
	var parts []any
	if ref, ok := s["$ref"].(string); ok {
		parts = append(parts, m.at(ref))
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if branches, ok := s[key].([]any); ok && len(branches) > 0 {
			parts = append(parts, branches[m.IntN(len(branches))])
			if m.IntN(8) == 0 { // members of two alternatives together
				parts = append(parts, branches[m.IntN(len(branches))])
			}
		}
	}
	for _, key := range []string{"then", "else"} {
		if m.IntN(3) == 0 {
			parts = append(parts, s[key])
		}
	}
	if named, ok := s["dependentSchemas"].(map[string]any); ok && m.IntN(3) == 0 {
		for _, name := range slices.Sorted(maps.Keys(named)) {
			parts = append(parts, named[name])
		}
	}
	all, _ := s["allOf"].([]any)
	for _, part := range append(parts, all...) {
		for key, v := range m.merged(part, depth+1) {
			s[key] = together(s[key], v)
		}
	}
	return s
}

// together merges the values that a keyword has in two schemas.
func together(a, b any) any {
	switch b := b.(type) {
	case map[string]any:
		both := maps.Clone(b)
		if a, ok := a.(map[string]any); ok {
			maps.Copy(both, a)
		}
		return both
	case []any:
		if a, ok := a.([]any); ok {
			return append(slices.Clone(a), b...)
		}
	}
	return b
}

// at returns the target of a reference inside the schema.
func (m maker) at(ref string) any {
	v := m.root
	for part := range strings.SplitSeq(strings.TrimPrefix(ref, "#"), "/") {
		if part == "" {
			continue
		}
		within, _ := v.(map[string]any)
		v = within[strings.NewReplacer("~1", "/", "~0", "~").Replace(part)]
	}
	return v
}

func (m maker) typeOf(s map[string]any) string {
	switch t := s["type"].(type) {
	case string:
		return t
	case []any:
		name, _ := t[m.IntN(len(t))].(string)
		return name
	}
	for _, key := range []string{"properties", "required", "additionalProperties"} {
		if s[key] != nil {
			return "object"
		}
	}
	if s["items"] != nil {
		return "array"
	}
	return ""
}

func (m maker) object(s map[string]any, depth int) any {
	made := map[string]any{}
	declared, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	for _, key := range slices.Sorted(maps.Keys(declared)) {
		if slices.Contains(required, any(key)) || depth < maxMade && m.IntN(2) == 0 {
			made[key] = m.value(declared[key], depth+1)
		}
	}
	for _, key := range required {
		if name, ok := key.(string); ok && declared[name] == nil {
			made[name] = m.value(s["additionalProperties"], depth+1)
		}
	}
	if more, ok := s["additionalProperties"].(map[string]any); ok && depth < maxMade {
		made["another"] = m.value(more, depth+1)
	}
	if patterns, ok := s["patternProperties"].(map[string]any); ok && depth < maxMade && m.IntN(2) == 0 {
		for _, pattern := range slices.Sorted(maps.Keys(patterns)) {
			made[strings.Trim(pattern, "^$")+"1"] = m.value(patterns[pattern], depth+1)
		}
	}
	return made
}

func (m maker) array(s map[string]any, depth int) any {
	made := []any{}
	if depth > 2*maxMade { // for a recursive schema, two items at every level would be too many
		return made
	}
	least := whole(s["minItems"], 0)
	n := least
	if depth < maxMade {
		n += m.IntN(max(1, min(3, whole(s["maxItems"], least+3)-least+1)))
	}
	positions, _ := s["prefixItems"].([]any)
	rest := s["items"]
	if list, ok := rest.([]any); ok && positions == nil {
		positions, rest = list, s["additionalItems"]
	}
	for i := range n {
		if i < len(positions) {
			made = append(made, m.value(positions[i], depth+1))
		} else {
			made = append(made, m.value(rest, depth+1))
		}
	}
	return made
}

func (m maker) text(s map[string]any) any {
	switch s["format"] {
	case "date-time":
		return "2026-01-02T03:04:05Z"
	case "uri", "url":
		return "https://example.com/a"
	case "uuid":
		return "123e4567-e89b-12d3-a456-426614174000"
	}
	made := "a" + strconv.Itoa(m.IntN(100))
	if missing := whole(s["minLength"], 0) - len(made); missing > 0 {
		made += strings.Repeat("x", missing)
	}
	return made
}

func (m maker) number(s map[string]any) any {
	least := whole(s["minimum"], whole(s["exclusiveMinimum"], 0)+1)
	most := max(least, whole(s["maximum"], least+9))
	return float64(least + m.IntN(most-least+1))
}

// whole returns the number in v as an int, or otherwise if v is not a number.
func whole(v any, otherwise int) int {
	if n, ok := v.(float64); ok {
		return int(n)
	}
	return otherwise
}

// mutated returns a copy of a value with one change.
func (m maker) mutated(v any) any {
	switch v := v.(type) {
	case map[string]any:
		return m.mutatedObject(v)
	case []any:
		if len(v) > 0 && m.IntN(4) > 0 {
			changed := slices.Clone(v)
			i := m.IntN(len(v))
			changed[i] = m.mutated(v[i])
			return changed
		}
	case string:
		if m.IntN(2) == 0 {
			return "no such choice"
		}
	}
	others := []any{nil, true, 1.5, -1e9, "", "text", []any{}, []any{1.0}, map[string]any{}, map[string]any{"odd": 1.0}}
	return others[m.IntN(len(others))]
}

func (m maker) mutatedObject(v map[string]any) any {
	changed := maps.Clone(v)
	keys := slices.Sorted(maps.Keys(v))
	switch n := m.IntN(8); {
	case n == 0:
		changed["misspelt"] = "x"
	case n == 6: // a name that another part of the schema may declare
		changed[[]string{"a", "b", "c", "d", "kind", "x-y"}[m.IntN(6)]] = []any{"1", 1.0, "k0", true, nil}[m.IntN(5)]
	case n == 7 && len(keys) > 0:
		changed[keys[m.IntN(len(keys))]] = nil
	case len(keys) == 0:
		changed["unexpected"] = 1.0
	case n == 1:
		delete(changed, keys[m.IntN(len(keys))])
	default:
		key := keys[m.IntN(len(keys))]
		changed[key] = m.mutated(v[key])
	}
	return changed
}
