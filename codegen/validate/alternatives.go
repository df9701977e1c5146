package validate

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/toolscript/toolscript"
)

// alternatives explains a value that fits no branch, or more than one. If a member with
// constants distinguishes the branches, the value of that member selects the branch to
// explain. Otherwise alternatives explains the branch that was probably meant. If all branches
// require other types, the message lists the types.
func (x *explainer) alternatives(err *violation) []toolscript.Detail {
	at, value := pointer(err.InstanceLocation), x.at(err.InstanceLocation)
	if one, ok := err.ErrorKind.(*kind.OneOf); ok && len(one.Subschemas) > 0 {
		return []toolscript.Detail{{Path: at, Message: fmt.Sprintf(
			"expected exactly one of the alternatives to fit, but %d and %d do", one.Subschemas[0]+1, one.Subschemas[1]+1)}}
	}
	t := x.tagOf(err)
	chosen := t.chosen(value)
	object, isObject := value.(map[string]any)
	given, has := object[t.name]
	switch {
	case chosen >= 0 && chosen < len(err.Causes):
		return x.branch(err.Causes[chosen], t.name+" is "+show(given)+": ")
	case t.name != "" && has:
		return []toolscript.Detail{{
			Path: pointer(append(slices.Clone(err.InstanceLocation), t.name)), Message: "expected one of " + choices(t.values()) + ", got " + typeOf(given),
		}}
	case t.required && isObject:
		return []toolscript.Detail{{Path: at, Message: "missing property " + strconv.Quote(t.name) + ", which is one of " + choices(t.values())}}
	}
	meant := meantBranch(err)
	if meant == nil {
		return []toolscript.Detail{{Path: at, Message: "expected " + strings.Join(typesOf(err), " or ") + ", got " + typeOf(value)}}
	}
	prefix := ""
	if len(err.Causes) > 1 {
		prefix = nearest
	}
	return x.branch(meant, prefix)
}

// nearest is the start of the message about a branch that was probably meant.
const nearest = "no alternative fits; in the nearest, "

// branch explains the violations of one branch. Each message begins with prefix.
func (x *explainer) branch(wrong *violation, prefix string) (all []toolscript.Detail) {
	for _, leaf := range leaves(wrong) {
		for _, d := range x.explain(leaf) {
			if prefix != nearest || !strings.HasPrefix(d.Message, nearest) {
				d.Message = prefix + d.Message
			}
			all = append(all, d)
		}
	}
	return all
}

// meantBranch returns the violation of the branch that was probably meant: one whose
// constants fit and, among these, the one with the fewest violations. It returns nil if
// all branches require other types.
func meantBranch(err *violation) *violation {
	var best *violation
	fewest := 0
	for _, branch := range err.Causes {
		found := leaves(branch)
		if ofType(found[0], err) {
			continue
		}
		count := len(found)
		if slices.ContainsFunc(found, func(leaf *violation) bool { return ofConstant(leaf, err) }) {
			count += maxDetails * maxDetails // the branch is for other values of that member
		}
		if best == nil || count < fewest {
			best, fewest = branch, count
		}
	}
	return best
}

// ofType reports whether leaf says that the value itself, not a part of it, has the wrong type.
func ofType(leaf, of *violation) bool {
	_, ok := leaf.ErrorKind.(*kind.Type)
	return ok && len(leaf.InstanceLocation) == len(of.InstanceLocation)
}

// ofConstant reports whether leaf says that a member of the value differs from a constant.
func ofConstant(leaf, of *violation) bool {
	if len(leaf.InstanceLocation) != len(of.InstanceLocation)+1 {
		return false
	}
	switch leaf.ErrorKind.(type) {
	case *kind.Const, *kind.Enum:
		return true
	}
	return false
}

// typesOf returns the types that the branches require.
func typesOf(err *violation) []string {
	var types []string
	for _, branch := range err.Causes {
		if wrong, ok := leaves(branch)[0].ErrorKind.(*kind.Type); ok {
			types = append(types, wrong.Want...)
		}
	}
	slices.Sort(types)
	return slices.Compact(types)
}

// tag is a member whose value selects the branch of a union. The zero value means that there is no such member.
type tag struct {
	name     string
	required bool    // required in every branch that allows objects
	branches [][]any // values of the member, by branch; nil for a branch that allows no object
}

// chosen returns the index of the branch that a value selects, or -1.
func (t tag) chosen(value any) int {
	object, _ := value.(map[string]any)
	given, ok := object[t.name]
	if t.name == "" || !ok {
		return -1
	}
	same := visit{walk: &walk{budget: &budget{ctx: context.Background(), left: maxWork}}}
	return slices.IndexFunc(t.branches, func(values []any) bool {
		return slices.ContainsFunc(values, func(v any) bool { return same.equal(v, given) })
	})
}

// values returns the values of all branches.
func (t tag) values() []any { return slices.Concat(t.branches...) }

// tagOf returns the tag of the union in a violation.
func (x *explainer) tagOf(err *violation) (t tag) {
	s := x.checker.schemas[err.SchemaURL]
	if s == nil {
		return tag{}
	}
	branches := s.AnyOf
	if _, ok := err.ErrorKind.(*kind.OneOf); ok {
		branches = s.OneOf
	}
	if len(branches) == 0 {
		return tag{}
	}
	if known, ok := x.checker.discriminators[branches[0]]; ok {
		return known
	}
	if known, ok := x.tags[branches[0]]; ok {
		return known
	}
	defer func() {
		if x.tags == nil {
			x.tags = map[*jsonschema.Schema]tag{}
		}
		x.tags[branches[0]] = t
	}()
	for _, name := range constants(branches) {
		if t := newTag(name, branches, nil); t.name != "" {
			return t
		}
	}
	return tag{}
}

// newTag returns a tag for the member name, or the zero tag if the member is not one. A member
// is a tag if every branch that allows objects has values for it, and no value occurs in two
// branches. known holds the values of branches whose schemas have no constants.
func newTag(name string, branches []*jsonschema.Schema, known [][]any) tag {
	t := tag{name: name, required: true}
	seen := map[string]bool{}
	for i, b := range branches {
		values := valuesOf(b, name)
		if len(values) == 0 && known != nil {
			values = known[i]
		}
		t.branches = append(t.branches, values)
		if !mayBeObject(b) {
			continue
		}
		for _, value := range values {
			text := show(value)
			if seen[text] || !scalar(value) {
				return tag{}
			}
			seen[text] = true
		}
		if len(values) == 0 || len(seen) > manyValues {
			return tag{}
		}
		t.required = t.required && slices.ContainsFunc(joined(b), func(s *jsonschema.Schema) bool { return slices.Contains(s.Required, name) })
	}
	return t
}

// Limits of the search for a tag.
const (
	manyBranches = 500
	manyNames    = 20
	manyValues   = 1000
)

// scalar reports whether a value is simple enough to be compared in negligible time.
func scalar(value any) bool {
	switch value := value.(type) {
	case map[string]any, []any:
		return false
	case string:
		return len(value) <= maxShown
	}
	return true
}

// constants returns the sorted names of the members with constants in the first branch
// that has such members.
func constants(branches []*jsonschema.Schema) []string {
	if len(branches) < 2 || len(branches) > manyBranches {
		return nil
	}
	for _, b := range branches {
		var names []string
		for _, s := range joined(b) {
			for name, member := range s.Properties {
				if len(fixed(member)) > 0 {
					names = append(names, name)
				}
			}
		}
		if len(names) > 0 {
			slices.Sort(names)
			names = slices.Compact(names)
			return names[:min(len(names), manyNames)]
		}
	}
	return nil
}

// mayBeObject reports whether a schema may allow objects.
func mayBeObject(s *jsonschema.Schema) bool {
	for _, s := range joined(s) {
		if s.Bool != nil && !*s.Bool || s.Types != nil && !s.Types.IsEmpty() && *s.Types&types["object"] == 0 {
			return false
		}
	}
	return true
}

// manyJoined is the maximum number of schemas that joined returns.
const manyJoined = 32

// joined returns a schema and the schemas that it always applies to the same value.
func joined(s *jsonschema.Schema) []*jsonschema.Schema {
	var all []*jsonschema.Schema
	add := func(s *jsonschema.Schema) {
		if s != nil && len(all) < manyJoined && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	add(s)
	for i := 0; i < len(all); i++ {
		add(all[i].Ref)
		for _, part := range all[i].AllOf {
			add(part)
		}
	}
	return all
}

// valuesOf returns the allowed constants of a member.
func valuesOf(s *jsonschema.Schema, name string) []any {
	for _, s := range joined(s) {
		if values := fixed(s.Properties[name]); len(values) > 0 {
			return values
		}
	}
	return nil
}

// fixed returns the values of const or enum in a schema.
func fixed(s *jsonschema.Schema) []any {
	for _, s := range joined(s) {
		switch {
		case s.Const != nil:
			return []any{*s.Const}
		case s.Enum != nil:
			return s.Enum.Values
		}
	}
	return nil
}

// discriminated returns the tag that OpenAPI's keyword discriminator declares. The value for a
// branch is in mapping, or is the name of the schema to which the branch refers.
func discriminated(discriminator map[string]any, list []any, branches []*jsonschema.Schema) tag {
	name, _ := discriminator["propertyName"].(string)
	if name == "" || len(list) < 2 || len(list) > manyBranches || len(list) != len(branches) {
		return tag{}
	}
	mapping, _ := discriminator["mapping"].(map[string]any)
	known := make([][]any, len(list))
	for i, branch := range list {
		members, _ := branch.(map[string]any)
		ref, _ := members["$ref"].(string)
		if ref == "" {
			continue
		}
		own := ref[strings.LastIndexByte(ref, '/')+1:]
		for value, to := range mapping {
			if to == ref || to == own {
				known[i] = append(known[i], value)
			}
		}
		if known[i] == nil {
			known[i] = []any{own}
		}
		slices.SortFunc(known[i], func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
	}
	return newTag(name, branches, known)
}
