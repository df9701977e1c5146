package agreement_test

import (
	"math/rand/v2"
	"strconv"
)

// author writes random schemas as authors of servers might: with the keywords of all drafts, in
// combinations that contradict each other, and sometimes malformed.
type author struct {
	*rand.Rand
	defs []string // names under $defs
}

// Limits of a schema.
const (
	deepest = 3 // maximum depth of nested subschemas
	widest  = 4 // maximum number of members of an object
)

// schema returns a random schema of arguments.
func (a *author) schema() map[string]any {
	s := a.object(0)
	s["type"] = "object"
	if len(a.defs) > 0 {
		defs := map[string]any{}
		for _, name := range a.defs {
			defs[name] = (&author{Rand: a.Rand}).any(1) // references inside definitions could be endless
		}
		if a.one(3) { // a recursive schema
			defs["tree"] = map[string]any{"type": "object", "properties": map[string]any{
				"value": a.scalar(), "children": map[string]any{"type": "array", "items": map[string]any{"$ref": "#/$defs/tree"}},
			}}
		}
		s["$defs"] = defs
	}
	if dialect := a.pick("", "", "", "", "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema",
		"https://json-schema.org/draft/2019-09/schema", "http://json-schema.org/draft-06/schema#", "http://json-schema.org/draft-04/schema#"); dialect != "" {
		s["$schema"] = dialect
	}
	return s
}

// one returns true with the probability 1/n.
func (a *author) one(n int) bool { return a.IntN(n) == 0 }

func (a *author) pick(texts ...string) string { return texts[a.IntN(len(texts))] }

func (a *author) name() string { return a.pick("a", "b", "c", "d", "kind", "x-y") }

// any returns a schema of any kind.
func (a *author) any(depth int) any {
	if depth >= deepest {
		return a.scalar()
	}
	var s map[string]any
	switch a.IntN(16) {
	case 0, 1, 2:
		s = a.object(depth)
		if !a.one(5) {
			s["type"] = "object"
		}
	case 3, 4:
		s = a.array(depth)
		if !a.one(5) {
			s["type"] = "array"
		}
	case 5:
		s = map[string]any{a.pick("anyOf", "oneOf"): a.branches(depth)}
	case 6:
		s = a.tagged(depth)
	case 7:
		s = map[string]any{"allOf": a.branches(depth)}
	case 8:
		s = a.reference()
	case 9:
		if a.one(4) {
			return a.one(2)
		}
		s = map[string]any{}
	default:
		s = a.scalar()
	}
	if a.one(12) {
		s["nullable"] = true
	}
	if a.one(8) {
		s["default"] = a.value()
	}
	if a.one(30) {
		s["not"] = a.any(depth + 1)
	}
	if a.one(40) {
		a.malform(s)
	}
	return s
}

func (a *author) branches(depth int) []any {
	all := make([]any, 1+a.IntN(3))
	for i := range all {
		all[i] = a.any(depth + 1)
	}
	return all
}

func (a *author) reference() map[string]any {
	if len(a.defs) == 0 {
		a.defs = []string{"one", "two"}
	}
	s := map[string]any{"$ref": "#/$defs/" + a.pick(a.defs...)}
	if a.one(4) { // a $ref with siblings
		s["properties"] = map[string]any{a.name(): a.scalar()}
		if a.one(2) {
			s["additionalProperties"] = false
		}
	}
	return s
}

// tagged returns a union whose alternatives have a member with a constant.
func (a *author) tagged(depth int) map[string]any {
	var all []any
	for i := range 2 + a.IntN(2) {
		s := a.object(depth + 1)
		s["type"] = "object"
		members, _ := s["properties"].(map[string]any)
		if members == nil {
			members = map[string]any{}
			s["properties"] = members
		}
		tag := map[string]any{"const": "k" + strconv.Itoa(i)}
		if a.one(3) {
			tag = map[string]any{"type": "string", "enum": []any{"k" + strconv.Itoa(i)}}
		}
		if a.one(4) {
			tag["default"] = "k" + strconv.Itoa(i)
		}
		members["kind"] = tag
		required, _ := s["required"].([]any)
		s["required"] = append(required, "kind")
		all = append(all, s)
	}
	s := map[string]any{a.pick("oneOf", "anyOf"): all}
	if a.one(3) {
		s["discriminator"] = map[string]any{"propertyName": "kind"}
	}
	if a.one(4) {
		s["additionalProperties"] = false
	}
	return s
}

// object returns the keywords of an object.
func (a *author) object(depth int) map[string]any {
	s := map[string]any{}
	members := map[string]any{}
	for range a.IntN(widest) {
		members[a.name()] = a.any(depth + 1)
	}
	if len(members) > 0 || a.one(3) {
		s["properties"] = members
	}
	if a.one(2) {
		var required []any
		for name := range members {
			if a.one(2) {
				required = append(required, name)
			}
		}
		if a.one(12) {
			required = append(required, "undeclared")
		}
		if len(required) > 0 {
			s["required"] = required
		}
	}
	switch a.IntN(6) {
	case 0, 1:
		s["additionalProperties"] = false
	case 2:
		s["additionalProperties"] = true
	case 3:
		s["additionalProperties"] = a.any(depth + 1)
	}
	more := map[string]func() any{
		"allOf":                 func() any { return a.parts(depth) },
		"anyOf":                 func() any { return a.parts(depth) },
		"oneOf":                 func() any { return a.parts(depth) },
		"patternProperties":     func() any { return map[string]any{a.pick("^a", "^x-", "d$"): a.any(depth + 1)} },
		"propertyNames":         func() any { return map[string]any{"enum": []any{"a", "b", "kind"}} },
		"minProperties":         func() any { return a.IntN(3) },
		"maxProperties":         func() any { return a.IntN(4) },
		"dependentRequired":     func() any { return map[string]any{a.name(): []any{a.name()}} },
		"dependentSchemas":      func() any { return map[string]any{a.name(): a.object(depth + 1)} },
		"dependencies":          func() any { return map[string]any{a.name(): a.either([]any{a.name()}, a.object(depth+1))} },
		"unevaluatedProperties": func() any { return a.either(false, a.any(depth+1)) },
		"if":                    func() any { return a.object(depth + 1) },
		"then":                  func() any { return a.object(depth + 1) },
		"else":                  func() any { return a.object(depth + 1) },
		"not":                   func() any { return map[string]any{"required": []any{a.name()}} },
	}
	if depth < deepest {
		a.some(s, more, 18)
	}
	if depth < deepest && a.one(10) { // the usual form
		s["additionalProperties"] = false
		s["allOf"] = a.parts(depth)
	}
	return s
}

// parts returns schemas that apply to the same object.
func (a *author) parts(depth int) []any {
	all := make([]any, 1+a.IntN(3))
	for i := range all {
		switch a.IntN(5) {
		case 0:
			all[i] = map[string]any{"required": []any{a.name()}}
		case 1:
			all[i] = a.reference()
		default:
			all[i] = a.object(depth + 1)
		}
	}
	return all
}

// array returns the keywords of an array.
func (a *author) array(depth int) map[string]any {
	s := map[string]any{}
	if !a.one(3) {
		s["items"] = a.any(depth + 1)
	}
	positions := func() any { return a.branches(depth) }
	a.some(s, map[string]func() any{
		"prefixItems":      positions,
		"items":            func() any { return a.either(positions(), false) },
		"additionalItems":  func() any { return a.either(false, a.any(depth+1)) },
		"unevaluatedItems": func() any { return a.either(false, a.any(depth+1)) },
		"contains":         func() any { return a.any(depth + 1) },
		"minContains":      func() any { return a.IntN(2) },
		"minItems":         func() any { return a.IntN(3) },
		"maxItems":         func() any { return a.IntN(4) },
		"uniqueItems":      func() any { return true },
	}, 6)
	return s
}

// some adds each keyword with the probability 1/n.
func (a *author) some(s map[string]any, keywords map[string]func() any, n int) {
	for _, key := range sorted(keywords) {
		if a.one(n) {
			s[key] = keywords[key]()
		}
	}
}

func (a *author) either(x, y any) any {
	if a.one(2) {
		return x
	}
	return y
}

// scalar returns a schema without subschemas.
func (a *author) scalar() map[string]any {
	s := map[string]any{}
	switch a.IntN(9) {
	case 0, 1, 2:
		s["type"] = "string"
		a.some(s, map[string]func() any{
			"minLength": func() any { return a.IntN(3) },
			"maxLength": func() any { return 1 + a.IntN(9) },
			"pattern":   func() any { return a.pick("^a", "^[a-z0-9]+$", `^(?!x)\w`, `^\S*\Z`) },
			"format":    func() any { return a.pick("date", "date-time", "email", "uri", "uuid") },
		}, 6)
	case 3, 4:
		s["type"] = a.pick("integer", "number")
		a.some(s, map[string]func() any{
			"minimum":          func() any { return a.IntN(5) - 2 },
			"maximum":          func() any { return a.IntN(9) },
			"exclusiveMinimum": func() any { return a.either(true, a.IntN(3)) },
			"exclusiveMaximum": func() any { return a.either(a.one(2), 5+a.IntN(3)) },
			"multipleOf":       func() any { return 2 },
		}, 6)
	case 5:
		s["type"] = a.pick("boolean", "null")
	case 6:
		s["type"] = []any{a.pick("string", "integer"), a.pick("boolean", "null", "number")}
	default:
		var choices []any
		for range a.IntN(4) {
			choices = append(choices, a.value())
		}
		if len(choices) > 0 || a.one(4) {
			s["enum"] = append([]any{}, choices...)
		} else {
			s["const"] = a.value()
		}
		if a.one(2) {
			s["type"] = a.pick("string", "integer", "boolean", "object", "array")
		}
		if a.one(8) {
			s["minLength"] = 2
		}
	}
	if a.one(12) {
		s["nullable"] = true
	}
	if a.one(6) {
		s["default"] = a.value()
	}
	return s
}

// value returns a value for const, enum and default.
func (a *author) value() any {
	return []any{"1", "2", "a", "open", 1, 2, 0.5, true, nil, []any{1}, map[string]any{"a": 1}, map[string]any{}}[a.IntN(12)]
}

// malform gives a keyword an invalid value.
func (a *author) malform(s map[string]any) {
	switch a.IntN(8) {
	case 0:
		s["required"] = true // draft 3
	case 1:
		s["required"] = nil
	case 2:
		s["type"] = a.pick("any", "strin", "file", "date")
	case 3:
		s["minimum"] = "1"
	case 4:
		s["anyOf"] = []any{}
	case 5:
		s["pattern"] = "(?<"
	case 6:
		s["properties"] = []any{}
	case 7:
		s["enum"] = "a|b"
	}
}
