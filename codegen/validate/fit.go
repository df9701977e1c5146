package validate

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/rawjson"
)

// Limits of the search for members that are null.
const (
	maxRounds = 8      // checks of one call
	maxNulls  = 10_000 // violations of one check, each of which may be about a null
)

// Fit checks the arguments of a call against the schema of the tool. Empty args mean {}.
//
// If details is empty and err is nil, the caller may send sent. It is args without the optional
// members that are null although the schema does not allow null there: callers write null for
// values that they do not have, and their types allow it. Otherwise details has the violations
// of args, sorted by position.
//
// An error of kind Invalid means that args is not JSON or nests too deep. Any other error means
// that ctx has ended. The bytes of schema must never change.
func (v *Validator) Fit(ctx context.Context, schema, args json.RawMessage) (sent json.RawMessage, details []toolscript.Detail, err error) {
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	value, known, err := v.decode(schema, args)
	if err != nil {
		return nil, nil, err
	}
	if _, is := value.(map[string]any); known && !is {
		return nil, []toolscript.Detail{{Message: "expected object, got " + typeOf(value)}}, nil
	}
	return v.fit(ctx, schema, args, value, known)
}

func (v *Validator) fit(ctx context.Context, schema, text json.RawMessage, value any, known bool) (json.RawMessage, []toolscript.Detail, error) {
	if schema == nil || !known {
		return text, nil, nil
	}
	e, err := v.entry(ctx, schema)
	if err != nil || e.checker == nil {
		return text, nil, err
	}
	return e.fit(&budget{ctx: ctx, left: maxWork}, text, value)
}

// Violations is like Fit for a value of any type, and returns only the violations.
func (v *Validator) Violations(ctx context.Context, schema, text json.RawMessage) ([]toolscript.Detail, error) {
	value, known, err := v.decode(schema, text)
	if err != nil {
		return nil, err
	}
	_, details, err := v.fit(ctx, schema, text, value, known)
	return details, err
}

func (e *entry) fit(b *budget, args json.RawMessage, value any) (json.RawMessage, []toolscript.Detail, error) {
	most := maxFound
	if bytes.Contains(args, []byte("null")) {
		most = maxNulls
	}
	n := nulls{value: value}
	for round := 1; ; round++ {
		wrong, cut, err := e.check(b, value, most)
		switch {
		case err != nil:
			return nil, nil, err
		case wrong == nil:
			return n.gone.without(args), nil, nil
		case round == maxRounds || most == maxFound || !n.restore(wrong) && !n.remove(wrong):
			return nil, e.checker.details(wrong, value, cut), nil
		}
	}
}

// nulls removes null members from a decoded value.
type nulls struct {
	value  any
	gone   members
	needed members // members that were restored because they are required
}

// remove removes the optional members that are null and violate the schema. It reports whether
// it has removed any.
func (n *nulls) remove(wrong *violation) bool {
	found, _ := n.find(wrong)
	for _, at := range found {
		if object, name := n.object(at); object != nil {
			delete(object, name)
			n.gone.add(at)
		}
	}
	return len(found) > 0
}

// find returns the paths of the members that remove removes. all reports that wrong has no
// other violations.
func (n *nulls) find(wrong *violation) (found [][]string, all bool) {
	if n.isNull(wrong.InstanceLocation) {
		return [][]string{wrong.InstanceLocation}, true
	}
	switch wrong.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		return n.ofAlternatives(wrong)
	case *kind.PropertyNames:
		return nil, false
	}
	all = len(wrong.Causes) > 0
	for _, cause := range wrong.Causes {
		more, only := n.find(cause)
		found, all = append(found, more...), all && only
	}
	return found, all
}

// ofAlternatives is find for anyOf and oneOf. It returns the members of the alternative that
// fits after the fewest removals. If none fits, it returns the members of the alternative that
// was probably meant.
func (n *nulls) ofAlternatives(wrong *violation) (found [][]string, all bool) {
	for _, branch := range wrong.Causes {
		if places, only := n.find(branch); only && (found == nil || len(places) < len(found)) {
			found = places
		}
	}
	if found != nil {
		return found, true
	}
	if branch := meantBranch(wrong); branch != nil {
		found, _ = n.find(branch)
	}
	return found, false
}

// isNull reports whether the member at a path is null and may be removed.
func (n *nulls) isNull(at []string) bool {
	object, name := n.object(at)
	value, given := object[name]
	return given && value == nil && !n.needed.has(at)
}

// object returns the object that contains a member, or nil if there is no such object.
func (n *nulls) object(at []string) (object map[string]any, name string) {
	if len(at) == 0 {
		return nil, ""
	}
	object, _ = valueAt(n.value, at[:len(at)-1]).(map[string]any)
	return object, at[len(at)-1]
}

// restore puts back the removed members that the schema requires. It reports whether it has put
// back any.
func (n *nulls) restore(wrong *violation) (any bool) {
	for _, cause := range wrong.Causes {
		any = n.restore(cause) || any
	}
	var missing []string
	switch k := wrong.ErrorKind.(type) {
	case *kind.Required:
		missing = k.Missing
	case *kind.Dependency:
		missing = k.Missing
	case *kind.DependentRequired:
		missing = k.Missing
	}
	for _, name := range missing {
		at := append(slices.Clone(wrong.InstanceLocation), name)
		if object, _ := n.object(at); object != nil && n.gone.remove(at) {
			object[name] = nil
			n.needed.add(at)
			any = true
		}
	}
	return any
}

// members is a set of paths of members in a value.
type members struct {
	all   bool // the member itself is in the set
	inner map[string]*members
}

func (m *members) add(at []string) {
	for _, step := range at {
		if m.inner[step] == nil {
			if m.inner == nil {
				m.inner = map[string]*members{}
			}
			m.inner[step] = &members{}
		}
		m = m.inner[step]
	}
	m.all = true
}

// find returns the entry of a member; nil if the member was never in the set.
func (m *members) find(at []string) *members {
	for _, step := range at {
		if m = m.inner[step]; m == nil {
			return nil
		}
	}
	return m
}

func (m *members) has(at []string) bool {
	found := m.find(at)
	return found != nil && found.all
}

// remove removes a member from the set. It reports whether the member was in the set.
func (m *members) remove(at []string) bool {
	if !m.has(at) {
		return false
	}
	m.find(at).all = false
	return true
}

// without returns a JSON value without the members of the set. It copies all other text
// unchanged.
func (m *members) without(value json.RawMessage) json.RawMessage {
	if m.inner == nil {
		return value
	}
	s, err := rawjson.NewScanner(value)
	if err != nil {
		return value // impossible: value was decoded before
	}
	var b strings.Builder
	b.Grow(len(value))
	m.write(&b, &s)
	return json.RawMessage(b.String())
}

// write copies a value to b without the members of the set. It recurses for each level of the value.
func (m *members) write(b *strings.Builder, s *rawjson.Scanner) {
	first := s.Next()
	if m.inner == nil || first != '{' && first != '[' {
		b.WriteString(s.Raw())
		return
	}
	b.WriteByte(first)
	s.Bracket()
	empty := true
	for i := 0; s.Next() != '}' && s.Next() != ']'; i++ {
		name, step := "", strconv.Itoa(i)
		if first == '{' {
			again := *s
			name, step = again.Raw()+":", s.String()
		}
		inner := m.inner[step]
		if inner == nil {
			inner = &members{}
		}
		if inner.all {
			s.Raw()
			continue
		}
		if !empty {
			b.WriteByte(',')
		}
		empty = false
		b.WriteString(name)
		inner.write(b, s)
	}
	b.WriteByte(s.Next())
	s.Bracket()
}
