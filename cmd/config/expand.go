package config

import (
	"regexp"
	"sync"
)

// reference is ${VAR} or ${VAR:-default}. The name ends at the first colon or brace, the
// default at the next brace. There is no escape sequence. Other forms, such as ${VAR:x},
// are ordinary text.
var reference = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{([^:}]+)(:-([^}]*))?\}`) })

// variables is the source of values; with nil, every reference stays.
type variables func(name string) (value string, ok bool)

// expand replaces the references in all strings of the tree. Values are not expanded
// again. A string stays as written if one of its variables is not set, or if lookup is
// nil.
func (n *node) expand(lookup variables) {
	if text, ok := n.value.(string); ok {
		n.value, n.unset = expandText(text, n.noting(lookup))
	}
	for _, child := range n.children() {
		child.expand(lookup)
	}
}

// noting records the values of the variables that a string refers to.
func (n *node) noting(lookup variables) variables {
	if lookup == nil {
		return nil
	}
	return func(name string) (string, bool) {
		value, ok := lookup(name)
		if ok {
			if n.used == nil {
				n.used = map[string]string{}
			}
			n.used[name] = value
		}
		return value, ok
	}
}

// secrets are the values of all variables in the tree, by their references.
func (n *node) secrets() map[string]string {
	var all map[string]string
	note := func(reference, value string) {
		if all == nil {
			all = map[string]string{}
		}
		all[reference] = value
	}
	if n != nil {
		for name, value := range n.used {
			note("${"+name+"}", value)
		}
	}
	for _, child := range n.children() {
		for reference, value := range child.secrets() {
			note(reference, value)
		}
	}
	return all
}

func expandText(text string, lookup variables) (expanded string, unset []string) {
	expanded = reference().ReplaceAllStringFunc(text, func(found string) string {
		parts := reference().FindStringSubmatch(found)
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
	field    []string // path in the tree
}

// missing lists the variables of the tree that are not set, in the order of the file.
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
