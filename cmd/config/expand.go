package config

import "regexp"

// reference is ${VAR} or ${VAR:-default}. The name ends at the first colon or
// brace, the default at the next brace; there is no escape. What has another
// form, such as ${VAR:x}, is ordinary text.
var reference = regexp.MustCompile(`\$\{([^:}]+)(:-([^}]*))?\}`)

// variables is where values come from; nil knows that every reference stays.
type variables func(name string) (value string, ok bool)

// expand replaces the references of every string of the tree. Values are not
// expanded again. A string with a variable that is not set stays as written as
// a whole, and so does every string with a reference when lookup is nil.
func (n *node) expand(lookup variables) {
	if text, ok := n.value.(string); ok {
		n.value, n.unset = expandText(text, lookup)
	}
	for _, child := range n.children() {
		child.expand(lookup)
	}
}

func expandText(text string, lookup variables) (expanded string, unset []string) {
	expanded = reference.ReplaceAllStringFunc(text, func(found string) string {
		parts := reference.FindStringSubmatch(found)
		name, hasDefault, fallback := parts[1], parts[2] != "", parts[3]
		if lookup == nil {
			unset = append(unset, name)
			return found
		}
		if value, ok := lookup(name); ok {
			return value
		}
		if !hasDefault {
			unset = append(unset, name)
		}
		return fallback
	})
	if len(unset) > 0 {
		return text, unset
	}
	return expanded, nil
}

// missing is a variable that is not set, and the field that refers to it.
type missing struct {
	variable string
	field    []string // location within the tree
}

// missing lists the variables of the tree that are not set, in the order of the
// file.
func (n *node) missing(location ...string) []missing {
	var out []missing
	for _, name := range n.unset {
		out = append(out, missing{name, location})
	}
	for name, child := range n.children() {
		out = append(out, child.missing(append(location[:len(location):len(location)], name)...)...)
	}
	return out
}
