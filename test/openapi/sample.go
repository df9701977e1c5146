// Package openapi tests OpenAPI servers with public documents.
package openapi

import (
	"maps"
	"regexp"
	"strings"
)

// Sample returns a value that fits a schema, with the required members of objects, the first of
// alternatives, and the shortest lists. If objects is set, it also has the optional members that are
// objects. defs are the $defs of the schema.
func Sample(schema any, defs map[string]any, objects bool) any {
	if objects {
		defs = maps.Clone(defs)
		if defs == nil {
			defs = map[string]any{}
		}
		defs[withObjects] = true
	}
	return sample(schema, defs, 0)
}

// withObjects is a key of defs that cannot be the name of a schema.
const withObjects = " with objects"

func sample(schema any, defs map[string]any, depth int) any {
	s, is := schema.(map[string]any)
	if !is || depth > 12 {
		return "x"
	}
	s = flat(s, defs, 0)
	for _, member := range []string{"const", "default"} {
		if value, has := s[member]; has && value != nil {
			return value
		}
	}
	if values, is := s["enum"].([]any); is && len(values) > 0 {
		return values[0]
	}
	kind, _ := s["type"].(string)
	if kinds, is := s["type"].([]any); is && len(kinds) > 0 {
		kind, _ = kinds[0].(string)
	}
	switch {
	case kind == "object" || kind == "" && s["properties"] != nil:
		return object(s, defs, depth)
	case kind == "array":
		return list(s, defs, depth)
	case kind == "integer" || kind == "number":
		return number(s)
	case kind == "boolean":
		return true
	case kind == "null":
		return nil
	default:
		return text(s)
	}
}

// flat returns a schema without references, merged with its parts and with the first of its alternatives.
func flat(s map[string]any, defs map[string]any, depth int) map[string]any {
	out := map[string]any{}
	var parts []any
	for key, value := range s {
		switch list, isList := value.([]any); {
		case key == "$ref":
			parts = append(parts, defs[strings.TrimPrefix(value.(string), "#/$defs/")])
		case key == "allOf" && isList:
			parts = append(parts, list...)
		case (key == "oneOf" || key == "anyOf") && isList && len(list) > 0:
			parts = append(parts, list[0])
		default:
			out[key] = value
		}
	}
	for _, part := range parts {
		if p, is := part.(map[string]any); is && depth < 12 {
			add(out, flat(p, defs, depth+1))
		}
	}
	return out
}

// add adds the members of schema from to schema to. Existing members are kept, except that properties
// and required are merged.
func add(to, from map[string]any) {
	for key, value := range from {
		old, has := to[key]
		switch {
		case !has:
			to[key] = value
		case key == "required":
			to[key] = append(append([]any{}, old.([]any)...), value.([]any)...)
		case key == "properties":
			all := maps.Clone(value.(map[string]any))
			for name, property := range old.(map[string]any) {
				if other, both := all[name]; both {
					property = map[string]any{"allOf": []any{property, other}}
				}
				all[name] = property
			}
			to[key] = all
		}
	}
}

func object(s map[string]any, defs map[string]any, depth int) any {
	out := map[string]any{}
	properties, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	for _, name := range required {
		out[name.(string)] = sample(properties[name.(string)], defs, depth+1)
	}
	for name, property := range properties {
		p, is := property.(map[string]any)
		if _, has := out[name]; !is || has || defs[withObjects] == nil || depth > 6 {
			continue
		}
		if kind := flat(p, defs, 0); kind["type"] == "object" && kind["properties"] != nil {
			out[name] = sample(property, defs, depth+1)
		}
	}
	if least, is := s["minProperties"].(float64); is {
		for name, property := range properties {
			if float64(len(out)) >= least {
				break
			}
			out[name] = sample(property, defs, depth+1)
		}
	}
	return out
}

func list(s map[string]any, defs map[string]any, depth int) any {
	least, _ := s["minItems"].(float64)
	out := []any{}
	for range max(1, int(least)) {
		out = append(out, sample(s["items"], defs, depth+1))
	}
	return out
}

func number(s map[string]any) any {
	value := 1.0
	if least, is := s["minimum"].(float64); is && value < least {
		value = least
	}
	if least, is := s["exclusiveMinimum"].(float64); is && value <= least {
		value = least + 1
	}
	if most, is := s["maximum"].(float64); is && value > most {
		value = most
	}
	if step, is := s["multipleOf"].(float64); is && step > 1 {
		value = step
	}
	return value
}

// formats maps formats that documents use to matching texts.
var formats = map[string]string{
	"date-time": "2026-01-02T03:04:05Z", "date": "2026-01-02", "time": "03:04:05Z", "email": "a@example.com", "uuid": "123e4567-e89b-12d3-a456-426614174000",
	"uri": "https://example.com/a", "url": "https://example.com/a", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "hostname": "example.com", "byte": "aGk=", "duration": "PT1S",
}

// patterns are texts that match the patterns in documents.
var patterns = []string{
	"x", "1", "12", "1.2.3", "refs/heads/main", "ssh-rsa AAAA", "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "abcd", "0a", "A1", "ACa0000000000000000000000000000000", "0123456789abcdef0123456789abcdef01234567", "2026-01-02", "en", "US", "v1", "1.0", "a/b", "a-b", "+15555550100", "https://example.com/a",
}

func text(s map[string]any) any {
	if format, is := s["format"].(string); is && formats[format] != "" {
		return formats[format]
	}
	if s["contentEncoding"] == "base64" {
		return "aGk="
	}
	if pattern, is := s["pattern"].(string); is {
		return matching(pattern)
	}
	least, _ := s["minLength"].(float64)
	return strings.Repeat("x", max(1, int(least)))
}

// matching returns the first of the texts in patterns that matches a pattern.
func matching(pattern string) string {
	for _, text := range patterns {
		if r, err := regexp.Compile(pattern); err == nil && r.MatchString(text) {
			return text
		}
	}
	return "x"
}
