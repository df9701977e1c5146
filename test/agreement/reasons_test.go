package agreement_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/codegen/validate"
)

const (
	unexplained    = "for no listed reason"
	refusedByBoth  = "refused by both"
	acceptedByBoth = "accepted by both"
	onlyTypeScript = "only TypeScript refuses"
)

// exception is a keyword whose meaning a type cannot express, or only partly.
type exception struct {
	keyword string
	reason  string
	remove  func(s, root map[string]any) // removes the keyword from one schema of a document
}

func without(keywords ...string) func(s, root map[string]any) {
	return func(s, _ map[string]any) {
		for _, key := range keywords {
			delete(s, key)
		}
	}
}

// exceptions are the only accepted reasons why the check of the gateway refuses arguments that their
// type accepts.
var exceptions = []exception{
	{"pattern", "types have no patterns", without("pattern")},
	{"minLength, maxLength", "types have no lengths", without("minLength", "maxLength")},
	{"minItems, maxItems", "only tuples have a length", without("minItems", "maxItems")},
	{"minProperties, maxProperties", "types have no numbers of members", without("minProperties", "maxProperties")},
	{"minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf", "types have no ranges", without("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")},
	{"uniqueItems", "types do not compare items", without("uniqueItems")},
	{"contains", "types do not count items", without("contains", "minContains", "maxContains")},
	{"not", "types have no negation", without("not")},
	{"if, dependentSchemas, dependencies", "types have no conditions", func(s, root map[string]any) {
		if conditional(s) {
			without("if", "then", "else", "dependentSchemas", "dependencies", "dependentRequired")(s, root)
			open(s) // members that only the conditions declared are now undeclared
		}
	}},
	{"propertyNames", "types have no rules about names", without("propertyNames")},
	{"unevaluatedItems, unevaluatedProperties", "no type depends on what other keywords have seen", func(s, _ map[string]any) {
		delete(s, "unevaluatedItems")
		if _, is := s["unevaluatedProperties"].(map[string]any); is {
			s["unevaluatedProperties"] = true
		}
	}},
	{"additionalProperties, with properties", "an index signature covers the declared properties too, so that it has their types", func(s, _ map[string]any) {
		if _, is := s["additionalProperties"].(map[string]any); is {
			s["additionalProperties"] = true
		}
	}},
	{"patternProperties", "types have no patterns", func(s, _ map[string]any) {
		if s["patternProperties"] != nil {
			delete(s, "patternProperties")
			s["additionalProperties"] = true
		}
	}},
	{"required, in a branch without other keywords", "the members of the whole would be written again for each branch", func(s, _ map[string]any) {
		for _, key := range []string{"anyOf", "oneOf"} {
			for _, branch := range listOf(s[key]) {
				if branch, ok := branch.(map[string]any); ok && branch["properties"] == nil && branch["type"] == nil && branch["required"] != nil {
					delete(branch, "required")
					if s["properties"] == nil {
						open(s)
					}
				}
			}
		}
	}},
	{"dependentRequired, without a type", "it does not say that the value is an object", func(s, _ map[string]any) {
		if s["type"] == nil {
			delete(s, "dependentRequired")
		}
	}},
	{"object", "in an intersection, a value of another type may be an object without required members", func(s, _ map[string]any) {
		if s["type"] == "object" && !slices.ContainsFunc(listOf(s["required"]), func(name any) bool { return at(s, "properties", name, "default") == nil }) {
			delete(s, "type")
		}
	}},
	{"additionalProperties, without any properties", "the other keywords may have no type", func(s, root map[string]any) {
		if declaresNothing(s, root, 0) {
			open(s)
		}
	}},
	{"additionalProperties, in a branch", "a value of a union may have the members of all its types", func(s, root map[string]any) {
		for _, branch := range parts(s, root, "anyOf", "oneOf") {
			open(branch)
		}
	}},
	{"additionalProperties, of a member in a branch", "a member has the members of all its types", func(s, root map[string]any) {
		for _, part := range parts(s, root, "anyOf", "oneOf", "allOf") {
			members, _ := part["properties"].(map[string]any)
			for _, member := range members {
				openAll(member)
			}
		}
	}},
	{"integer", "TypeScript has one type of numbers", func(s, _ map[string]any) {
		switch kind := s["type"].(type) {
		case string:
			if kind == "integer" {
				s["type"] = "number"
			}
		case []any:
			for i := range kind {
				if kind[i] == "integer" {
					kind[i] = "number"
				}
			}
		}
	}},
	{"oneOf", "a value of a union may have several of its types", func(s, _ map[string]any) {
		if all, ok := s["oneOf"]; ok {
			delete(s, "oneOf")
			if other, ok := s["anyOf"]; ok {
				s["allOf"] = append(listOf(s["allOf"]), map[string]any{"anyOf": other})
			}
			s["anyOf"] = all
		}
	}},
}

// conditional reports whether a schema, or one of its alternatives or parts, has conditions.
func conditional(s map[string]any) bool {
	if s["if"] != nil || s["dependentSchemas"] != nil || s["dependencies"] != nil {
		return true
	}
	for _, branch := range slices.Concat(listOf(s["allOf"]), listOf(s["anyOf"]), listOf(s["oneOf"])) {
		if branch, ok := branch.(map[string]any); ok && conditional(branch) {
			return true
		}
	}
	return false
}

// declaresNothing reports whether no part of a schema declares members.
func declaresNothing(s, root map[string]any, depth int) bool {
	if members, _ := s["properties"].(map[string]any); len(members) > 0 || depth > 2*deepest {
		return false
	}
	return !slices.ContainsFunc(parts(s, root, "anyOf", "oneOf", "allOf"), func(part map[string]any) bool { return !declaresNothing(part, root, depth+1) })
}

// parts returns the schemas in the lists of these keywords and the schema of $ref, each with the
// schemas that it refers to.
func parts(s, root map[string]any, keywords ...string) (all []map[string]any) {
	add := func(schema any) {
		for range 2 * deepest {
			part, ok := schema.(map[string]any)
			if !ok {
				return
			}
			all = append(all, part)
			ref, _ := part["$ref"].(string)
			schema = at(root, "$defs", strings.TrimPrefix(ref, "#/$defs/"))
		}
	}
	for _, keyword := range keywords {
		for _, part := range listOf(s[keyword]) {
			add(part)
		}
	}
	if ref, ok := s["$ref"].(string); ok {
		add(at(root, "$defs", strings.TrimPrefix(ref, "#/$defs/")))
	}
	return all
}

// at returns the member with a path of names, or nil.
func at(value any, names ...any) any {
	for _, name := range names {
		members, _ := value.(map[string]any)
		text, _ := name.(string)
		value = members[text]
	}
	return value
}

// openAll makes all objects in a part of a schema accept unknown members.
func openAll(part any) {
	switch part := part.(type) {
	case map[string]any:
		open(part)
		for _, member := range part {
			openAll(member)
		}
	case []any:
		for _, item := range part {
			openAll(item)
		}
	}
}

// open makes an object schema accept unknown members.
func open(s map[string]any) {
	delete(s, "unevaluatedProperties")
	if s["additionalProperties"] != nil {
		s["additionalProperties"] = true
	}
}

func listOf(v any) []any {
	list, _ := v.([]any)
	return list
}

// reason returns the reason why the two verdicts on a trial are equal or differ.
func (tr trial) reason(t *testing.T, v *validate.Validator) string {
	t.Helper()
	byTypes, byCheck := tr.refused != "", len(tr.details) > 0
	switch {
	case byTypes && byCheck:
		return refusedByBoth
	case !byTypes && !byCheck:
		return acceptedByBoth
	case byTypes:
		return onlyTypeScript
	}
	if !tr.accepted(t, v, exceptions) {
		return unexplained
	}
	for i := range exceptions {
		if tr.accepted(t, v, exceptions[i:i+1]) {
			return "only the check refuses: " + exceptions[i].keyword
		}
	}
	return "only the check refuses: several keywords"
}

// onlyTypes returns the reason why the type refuses what the check accepts.
func (tr trial) onlyTypes(open bool) string {
	switch {
	case !open && odd.Match(tr.args):
		return onlyTypeScript + ": an unknown member of an object that does not mention additionalProperties"
	case null.Match(tr.args):
		return onlyTypeScript + ": null of an optional member"
	}
	return unexplained
}

var (
	null = regexp.MustCompile(`\bnull\b`)
	odd  = regexp.MustCompile(`"(misspelt|unexpected|odd|a|b|c|d|kind|x-y)":`) // the names that mutatedObject adds
)

// accepted reports whether the check accepts the arguments after keywords were removed from the schema.
func (tr trial) accepted(t *testing.T, v *validate.Validator, without []exception) bool {
	t.Helper()
	var schema any
	if err := json.Unmarshal(tr.tool.InputSchema, &schema); err != nil {
		t.Fatal(err)
	}
	root, _ := schema.(map[string]any)
	strip(schema, root, without)
	text, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	details, err := v.Check(t.Context(), text, tr.args)
	if err != nil {
		t.Fatal(err)
	}
	return len(details) == 0
}

// strip removes keywords from all schemas in a document. No member of properties has the name of a keyword.
func strip(part any, root map[string]any, without []exception) {
	switch part := part.(type) {
	case map[string]any:
		for _, e := range without {
			e.remove(part, root)
		}
		for _, member := range part {
			strip(member, root, without)
		}
	case []any:
		for _, item := range part {
			strip(item, root, without)
		}
	}
}
