package validate

import (
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// declared reports whether another schema for the same object declares a member. Then a closed
// object may have the member, although it is not among its own properties. JSON Schema ignores
// other schemas, so {"additionalProperties": false, "allOf": […]} would allow no member of
// allOf. Authors mean the union of all members, and the types of package codegen allow it.
func (v *visit) declared(name string) bool {
	return v.declares(v.s, name, nil, map[*jsonschema.Schema]bool{}) || v.declaredAbove(name)
}

// declaredAbove is like declared, but only considers the schemas that apply the visited schema,
// and not those that the visited schema applies.
func (v *visit) declaredAbove(name string) bool {
	from, seen := v.s, map[*jsonschema.Schema]bool{v.s: true}
	for f := v.frame.above(); f != nil; f = f.above() {
		if v.declares(f.schema, name, from, seen) {
			return true
		}
		from = f.schema
	}
	return false
}

// declares reports whether s, or a schema that s applies to the same object, declares a member.
// It skips the alternatives to from, and the schemas in seen.
func (v *visit) declares(s *jsonschema.Schema, name string, from *jsonschema.Schema, seen map[*jsonschema.Schema]bool) bool {
	v.spend(1)
	if s == nil || seen[s] {
		return false
	}
	seen[s] = true
	v.spend(len(s.Required))
	if _, ok := s.Properties[name]; ok || slices.Contains(s.Required, name) || v.dependent(s, name) || v.constant(s, name) {
		return true
	}
	for p := range s.PatternProperties {
		if matched, known := v.matches(p, name); matched || !known {
			return true
		}
	}
	if anyObject(s) || opens(s.AdditionalProperties) || s.UnevaluatedProperties != nil && opens(s.UnevaluatedProperties) {
		return true
	}
	return slices.ContainsFunc(applied(s, from), func(other *jsonschema.Schema) bool { return v.declares(other, name, nil, seen) })
}

// dependent reports whether a keyword for dependencies between members names a member.
func (v *visit) dependent(s *jsonschema.Schema, name string) bool {
	for trigger, needs := range s.DependentRequired {
		v.spend(1 + len(needs))
		if trigger == name || slices.Contains(needs, name) {
			return true
		}
	}
	for trigger, needs := range s.Dependencies {
		names, ok := needs.([]string)
		v.spend(1 + len(names))
		if ok && (trigger == name || slices.Contains(names, name)) {
			return true
		}
	}
	return false
}

// constant reports whether a value in const or enum has the member.
func (v *visit) constant(s *jsonschema.Schema, name string) bool {
	values := fixed(s)
	v.spend(len(values))
	return slices.ContainsFunc(values, func(value any) bool {
		object, _ := value.(map[string]any)
		_, has := object[name]
		return has
	})
}

// anyObject reports whether a schema only requires the value to be an object.
func anyObject(s *jsonschema.Schema) bool {
	return s.Types != nil && *s.Types == types["object"] && s.AdditionalProperties == nil && s.UnevaluatedProperties == nil &&
		len(s.Properties)+len(s.Required)+len(s.PatternProperties)+len(s.DependentRequired)+len(s.Dependencies) == 0 &&
		!slices.ContainsFunc(applied(s, nil), func(other *jsonschema.Schema) bool { return other != nil })
}

// opens reports whether a value of additionalProperties or unevaluatedProperties allows
// members.
func opens(further any) bool {
	switch further := further.(type) {
	case bool:
		return further
	case *jsonschema.Schema:
		return further.Bool == nil || *further.Bool
	}
	return false
}

// applied returns the schemas that s applies to the same value. It leaves out the
// alternatives of a keyword if from is one of them.
func applied(s, from *jsonschema.Schema) []*jsonschema.Schema {
	all := append([]*jsonschema.Schema{s.Ref, s.RecursiveRef, s.Then, s.Else, s.If}, s.AllOf...)
	if s.DynamicRef != nil {
		all = append(all, s.DynamicRef.Ref)
	}
	for _, alternatives := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
		if from == nil || !slices.Contains(alternatives, from) {
			all = append(all, alternatives...)
		}
	}
	for _, other := range s.DependentSchemas {
		all = append(all, other)
	}
	for _, dependency := range s.Dependencies {
		all = append(all, oneOrMore(dependency)...)
	}
	return all
}
