package codegen

import "slices"

// maxTriggers is the maximum number of properties with dependencies for which together
// makes a union. Each can double the number of alternatives.
const maxTriggers = 3

// dependency is a property that requires others.
type dependency struct {
	trigger string
	needs   []string
}

// together returns the type for dependencies between properties: a union over the properties
// that are present. If a requires b, it is { a?: never } | { a: unknown; b: unknown }. It
// returns unknown if the schema has no dependencies, or more than maxTriggers.
func (c *converter) together(props []property, v *value, at *path) *typ {
	all := c.dependencies(v, at)
	if len(all) == 0 || len(all) > maxTriggers {
		return unknown
	}
	types := make([]*typ, 0, 1<<len(all))
	for present := range 1 << len(all) {
		if t := alternative(all, present, props); t != nil {
			types = append(types, t)
		}
	}
	return union(types...)
}

// dependencies returns the dependencies in dependentRequired and in dependencies, its name
// before draft 2019-09.
func (c *converter) dependencies(v *value, at *path) []dependency {
	var all []dependency
	for _, key := range []string{"dependentRequired", "dependencies"} {
		named := v.get(key)
		if !named.is(object) {
			continue
		}
		for _, m := range named.members {
			if !m.value.is(array) {
				continue // a dependent schema: it cannot become a type here
			}
			if needs := c.strings(m.value, at.to(key, m.key)); len(needs) > 0 {
				all = append(all, dependency{m.key, needs})
			}
		}
	}
	return all
}

// alternative returns the object type for one set of present triggers. The bits of present tell which
// triggers are present. It returns nil if the set is impossible: because the schema or a present
// trigger requires an absent trigger.
func alternative(all []dependency, present int, props []property) *typ {
	has := func(i int) bool { return present&(1<<i) != 0 }
	var needed []string
	for i, d := range all {
		if has(i) {
			needed = append(append(needed, d.trigger), d.needs...)
		}
	}
	for _, p := range props {
		if !p.optional {
			needed = append(needed, p.key)
		}
	}
	var members []property
	for i, d := range all {
		if has(i) {
			continue
		}
		if slices.Contains(needed, d.trigger) {
			return nil
		}
		members = append(members, property{key: d.trigger, optional: true, typ: never})
	}
	slices.Sort(needed)
	for _, name := range slices.Compact(needed) {
		always := slices.ContainsFunc(props, func(p property) bool { return p.key == name && !p.optional })
		if !always {
			members = append(members, property{key: name, typ: unknown})
		}
	}
	return objectOf(members, nil)
}
