package validate

import "github.com/santhosh-tekuri/jsonschema/v6"

// open is the set of members or items that no keyword has evaluated yet. The keywords
// unevaluatedProperties and unevaluatedItems apply to it. It is empty if neither is needed.
type open struct {
	members map[string]struct{}
	items   map[int]struct{}
}

func (o open) empty() bool { return len(o.members) == 0 && len(o.items) == 0 }

// unevaluated returns the open part of a value before the keywords of s are applied.
func (w *walk) unevaluated(s *jsonschema.Schema, value any, needed bool) open {
	var o open
	switch value := value.(type) {
	case map[string]any:
		if s.AdditionalProperties != nil || !needed && s.UnevaluatedProperties == nil {
			return o
		}
		w.spend(len(value))
		o.members = make(map[string]struct{}, len(value))
		for name := range value {
			o.members[name] = struct{}{}
		}
	case []any:
		evaluated, all := evaluatedItems(s)
		if all || !needed && s.UnevaluatedItems == nil || evaluated >= len(value) {
			return o
		}
		w.spend(len(value))
		o.items = make(map[int]struct{}, len(value))
		for i := evaluated; i < len(value); i++ {
			o.items[i] = struct{}{}
		}
	}
	return o
}

// evaluatedItems returns the number of leading items that s evaluates, whatever their
// values, and whether it evaluates all items.
func evaluatedItems(s *jsonschema.Schema) (first int, all bool) {
	if s.DraftVersion >= 2020 {
		return len(s.PrefixItems), s.Items2020 != nil
	}
	switch items := s.Items.(type) {
	case *jsonschema.Schema:
		return 0, true
	case []*jsonschema.Schema:
		first = len(items)
	}
	return first, s.AdditionalItems != nil
}

// merge removes the members and items that another schema has evaluated. left is what that
// schema has not evaluated.
func (o open) merge(w *walk, left open) {
	w.spend(len(o.members) + len(o.items))
	for name := range o.members {
		if _, ok := left.members[name]; !ok {
			delete(o.members, name)
		}
	}
	for i := range o.items {
		if _, ok := left.items[i]; !ok {
			delete(o.items, i)
		}
	}
}

// rest applies unevaluatedProperties and unevaluatedItems to the open part.
func (v *visit) rest() {
	if members, ok := v.value.(map[string]any); ok && v.s.UnevaluatedProperties != nil {
		for name := range v.open.members {
			if v.enough() {
				break
			}
			if !opens(v.s.UnevaluatedProperties) && v.declared(name) {
				v.lenient++
				continue
			}
			v.keep(v.member(v.s.UnevaluatedProperties, members[name], name))
		}
		v.open.members = nil
	}
	if items, ok := v.value.([]any); ok && v.s.UnevaluatedItems != nil {
		for i := range v.open.items {
			if v.enough() {
				break
			}
			v.keep(v.item(v.s.UnevaluatedItems, items[i], i))
		}
		v.open.items = nil
	}
}
