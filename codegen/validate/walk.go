package validate

import (
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// walk applies a compiled schema to a value. Unlike the validator of the library, it
// has a budget of work and a context, and needs no lock.
type walk struct {
	*budget
	checker *checker
	most    int  // maximum number of violations; the check stops at it
	found   int  // violations kept so far
	lenient int  // number of members that closed schemas have allowed only because other schemas declare them
	cut     bool // the check stopped early, so there may be further violations
	skipped bool // some patterns or numbers were not checked
}

// violation is the result of applying a schema; nil means that the value satisfies it.
type violation = jsonschema.ValidationError

// visit is the application of one schema to one value.
type visit struct {
	*walk
	frame *frame
	s     *jsonschema.Schema
	value any
	at    *valuePlace
	quiet bool // the caller only asks whether there is a violation, and needs no description
	open  open
	wrong []*violation
}

// apply applies s to a value. It returns the unevaluated part of the value, and the
// violation or nil. needed reports that the caller uses the unevaluated part.
func (w *walk) apply(s *jsonschema.Schema, value any, at *valuePlace, outer *frame, needed, quiet bool) (open, *violation) {
	w.spend(applyPrice)
	f := &frame{schema: s, at: at, outer: outer, depth: 1}
	if outer != nil {
		f.depth = outer.depth + 1
	}
	if f.depth > maxDepth {
		panic(stopped{errCostly})
	}
	v := visit{walk: w, frame: f, s: s, value: value, at: at, quiet: quiet, open: w.unevaluated(s, value, needed)}
	v.all()
	switch len(v.wrong) {
	case 0:
		return v.open, nil
	case 1:
		return open{}, v.wrong[0]
	}
	group := v.violation(&kind.Group{})
	group.Causes = v.wrong
	return open{}, group
}

// all applies every keyword. If type, const or enum is violated, it reports only that. If const or
// enum has the value, the value satisfies the schema whatever the other keywords say; the types of
// package codegen do the same.
func (v *visit) all() {
	switch {
	case v.s.Bool != nil:
		if !*v.s.Bool {
			v.add(&kind.FalseSchema{})
		}
		return
	case v.value == nil && v.checker.nullable[v.s]:
		return
	case (v.s.Const != nil || v.s.Enum != nil) && v.listed():
		v.open = open{}
		return
	case !v.typeFits():
		v.add(&kind.Type{Got: typeOf(v.value), Want: v.s.Types.ToStrings()})
		return
	case v.s.Const != nil:
		v.add(&kind.Const{Got: v.value, Want: *v.s.Const})
		return
	case v.s.Enum != nil:
		v.add(&kind.Enum{Got: v.value, Want: v.s.Enum.Values})
		return
	}
	if v.s.Ref != nil {
		v.reference(v.s.Ref, "$ref")
		if v.s.DraftVersion < 2019 {
			return
		}
	}
	switch value := v.value.(type) {
	case map[string]any:
		v.object(value)
	case []any:
		v.array(value)
	case string:
		v.text(value)
	case nil, bool:
	default:
		v.number()
	}
	if v.quiet && len(v.wrong) > 0 {
		return
	}
	v.dynamic()
	v.conditions()
	v.rest()
}

// violation returns a new violation at the current place.
func (v *visit) violation(k jsonschema.ErrorKind) *violation {
	if v.quiet {
		return &violation{}
	}
	path := v.at.path()
	v.violations += 1 + len(path)/16
	if v.violations > maxViolations {
		panic(stopped{errCostly})
	}
	v.spend(violationPrice + len(path))
	return &violation{SchemaURL: v.s.Location, InstanceLocation: path, ErrorKind: k}
}

func (v *visit) add(k jsonschema.ErrorKind) {
	v.found++
	v.wrong = append(v.wrong, v.violation(k))
}

func (v *visit) addCauses(k jsonschema.ErrorKind, causes []*violation) {
	v.add(k)
	v.wrong[len(v.wrong)-1].Causes = causes
}

func (v *visit) keep(wrong *violation) {
	if wrong != nil {
		v.wrong = append(v.wrong, wrong)
	}
}

// enough reports whether the value needs no further checks, because enough violations are known.
func (v *visit) enough() bool {
	if len(v.wrong) == 0 {
		return false
	}
	if v.found > v.most {
		v.cut = true
		return true
	}
	return v.quiet
}

// same applies another schema to the value of the visit.
func (v *visit) same(s *jsonschema.Schema, quiet bool) *violation {
	left, wrong := v.apply(s, v.value, v.at, v.frame, !v.open.empty(), v.quiet || quiet)
	if wrong == nil {
		v.open.merge(v.walk, left)
	}
	return wrong
}

// try is like same, for a schema that the value need not satisfy. It does not count the violations.
func (v *visit) try(s *jsonschema.Schema, quiet bool) *violation {
	found := v.found
	defer func() { v.found = found }()
	return v.same(s, quiet)
}

func (v *visit) member(s *jsonschema.Schema, value any, step string) *violation {
	_, wrong := v.apply(s, value, v.at.in(step), v.frame, false, v.quiet)
	return wrong
}

func (v *visit) item(s *jsonschema.Schema, value any, i int) *violation {
	return v.member(s, value, strconv.Itoa(i))
}

// reference applies the schema that a keyword refers to.
func (v *visit) reference(to *jsonschema.Schema, keyword string) {
	wrong := v.same(to, false)
	if wrong == nil {
		return
	}
	causes := []*violation{wrong}
	if _, ok := wrong.ErrorKind.(*kind.Group); ok {
		causes = wrong.Causes
	}
	reference := v.violation(&kind.Reference{Keyword: keyword, URL: to.Location})
	reference.Causes = causes
	v.keep(reference)
}

// dynamic applies references whose targets depend on the enclosing schemas.
func (v *visit) dynamic() {
	if to := v.s.RecursiveRef; to != nil {
		if to.RecursiveAnchor {
			for f := v.frame; f != nil; f = f.outer {
				v.spend(1)
				if root := v.checker.recursive[document(f.schema)]; root != nil {
					to = root
				}
			}
		}
		v.reference(to, "$recursiveRef")
	}
	if dynamic := v.s.DynamicRef; dynamic != nil {
		to := dynamic.Ref
		if dynamic.Anchor != "" && to.DynamicAnchor == dynamic.Anchor {
			for f := v.frame; f != nil; f = f.outer {
				v.spend(1)
				if other := v.checker.dynamic[anchor{document(f.schema), dynamic.Anchor}]; other != nil {
					to = other
				}
			}
		}
		v.reference(to, "$dynamicRef")
	}
}

// conditions applies not, allOf, anyOf, oneOf and if.
func (v *visit) conditions() {
	if v.s.Not != nil && v.try(v.s.Not, true) == nil {
		v.add(&kind.Not{})
	}
	if len(v.s.AllOf) > 0 {
		var causes []*violation
		for _, s := range v.s.AllOf {
			if wrong := v.same(s, false); wrong != nil {
				causes = append(causes, wrong)
				if v.quiet {
					break
				}
			}
		}
		if len(causes) > 0 {
			v.addCauses(&kind.AllOf{}, causes)
		}
	}
	v.anyOf()
	v.oneOf()
	if v.s.If != nil {
		if v.try(v.s.If, true) == nil {
			if v.s.Then != nil {
				v.keep(v.same(v.s.Then, false))
			}
		} else if v.s.Else != nil {
			v.keep(v.same(v.s.Else, false))
		}
	}
}

func (v *visit) anyOf() {
	if len(v.s.AnyOf) == 0 {
		return
	}
	var causes []*violation
	fits := false
	for _, s := range v.s.AnyOf {
		if wrong := v.try(s, false); wrong != nil {
			causes = append(causes, wrong)
			continue
		}
		fits = true
		if v.open.empty() { // otherwise a further branch that fits may evaluate more members
			break
		}
	}
	if !fits {
		v.addCauses(&kind.AnyOf{}, causes)
	}
}

func (v *visit) oneOf() {
	if len(v.s.OneOf) == 0 {
		return
	}
	var causes []*violation
	fits, lenient := -1, v.lenient
	for i, s := range v.s.OneOf {
		if wrong := v.try(s, fits >= 0); wrong != nil {
			causes = append(causes, wrong)
			continue
		}
		if fits >= 0 {
			if v.lenient > lenient || v.checker.relaxed { // under the strict rules of JSON Schema, perhaps only one of them fits
				return
			}
			v.add(&kind.OneOf{Subschemas: []int{fits, i}})
			return
		}
		fits = i
	}
	if fits < 0 {
		v.addCauses(&kind.OneOf{}, causes)
	}
}
