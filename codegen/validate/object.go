package validate

import (
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

func (v *visit) object(members map[string]any) {
	if least := v.s.MinProperties; least != nil && len(members) < *least {
		v.add(&kind.MinProperties{Got: len(members), Want: *least})
	}
	if most := v.s.MaxProperties; most != nil && len(members) > *most {
		v.add(&kind.MaxProperties{Got: len(members), Want: *most})
	}
	if missing := v.missing(members, v.s.Required); len(missing) > 0 {
		v.add(&kind.Required{Missing: missing})
	}
	for name, dependency := range v.s.Dependencies {
		v.spend(1)
		if _, ok := members[name]; !ok {
			continue
		}
		switch dependency := dependency.(type) {
		case []string:
			if missing := v.missing(members, dependency); len(missing) > 0 {
				v.add(&kind.Dependency{Prop: name, Missing: missing})
			}
		case *jsonschema.Schema:
			v.keep(v.same(dependency, false))
		}
	}
	v.members(members)
	if s := v.s.PropertyNames; s != nil {
		v.names(s, members)
	}
	for name, s := range v.s.DependentSchemas {
		v.spend(1)
		if _, ok := members[name]; ok {
			v.keep(v.same(s, false))
		}
	}
	for name, required := range v.s.DependentRequired {
		v.spend(1)
		if _, ok := members[name]; !ok {
			continue
		}
		if missing := v.missing(members, required); len(missing) > 0 {
			v.add(&kind.DependentRequired{Prop: name, Missing: missing})
		}
	}
}

// members applies properties, patternProperties and additionalProperties.
func (v *visit) members(members map[string]any) {
	var unknown []string
all:
	for name, value := range members {
		if v.enough() {
			break
		}
		v.spend(1)
		s, evaluated := v.s.Properties[name]
		if evaluated {
			v.keep(v.member(s, value, name))
		}
		for p, s := range v.s.PatternProperties {
			matched, known := v.matches(p, name)
			if matched {
				v.keep(v.member(s, value, name))
			}
			evaluated = evaluated || matched || !known
		}
		if !evaluated && v.s.AdditionalProperties != nil {
			evaluated = true
			switch additional := v.s.AdditionalProperties.(type) {
			case bool:
				if additional {
					break
				}
				if v.declared(name) {
					v.lenient++
					break
				}
				if unknown = append(unknown, name); len(unknown) > v.most {
					v.cut = true
					break all
				}
			case *jsonschema.Schema:
				v.keep(v.member(additional, value, name))
			}
		}
		if evaluated {
			delete(v.open.members, name)
		}
	}
	if len(unknown) > 0 {
		v.found += len(unknown) - 1
		slices.Sort(unknown)
		v.add(&kind.AdditionalProperties{Properties: unknown})
	}
}

// matches calls pattern.match for a pattern of the checked schema.
func (v *visit) matches(p jsonschema.Regexp, s string) (matched, known bool) {
	own, ok := p.(*pattern)
	if !ok { // the pattern is in a schema of the library
		v.spend(len(s))
		return p.MatchString(s), true
	}
	matched, known = own.match(v.budget, s)
	v.skipped = v.skipped || !known
	return matched, known
}

func (v *visit) names(s *jsonschema.Schema, members map[string]any) {
	for name := range members {
		if v.enough() {
			return
		}
		_, wrong := v.apply(s, name, nil, nil, false, v.quiet)
		if wrong == nil {
			continue
		}
		named := v.violation(&kind.PropertyNames{Property: name})
		named.Causes = []*violation{wrong}
		if _, ok := wrong.ErrorKind.(*kind.Group); ok {
			named.Causes = wrong.Causes
		}
		v.keep(named)
	}
}

// missing returns the required names that an object does not have.
func (v *visit) missing(members map[string]any, required []string) []string {
	v.spend(len(required))
	var missing []string
	for _, name := range required {
		if _, ok := members[name]; !ok {
			missing = append(missing, name)
		}
	}
	return missing
}
