package config

import (
	"net/url"
	"strings"
)

// variables is the source of values; with nil, every reference stays.
type variables func(name string) (value string, ok bool)

// secretValues is the source of secrets; with nil, every reference to one stays.
type secretValues func(name string) (value string, err error)

// expand replaces the references in all strings of the tree, and ~ at the start of a path.
// Values are not expanded again. A string stays as written if one of its variables is not
// set or one of its secrets is withheld, or if the source is nil.
func (n *node) expand(lookup variables, secret secretValues) {
	if text, ok := n.value.(string); ok {
		secret := n.notingSecrets(secret)
		if n.address {
			secret = secret.escaped()
		}
		n.value, n.unset = n.home.expand(text, n.noting(lookup), secret)
	}
	for _, child := range n.children() {
		child.expand(lookup, secret)
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
			n.use(name, value)
		}
		return value, ok
	}
}

// notingSecrets records the secrets that a string refers to, or why they are withheld.
func (n *node) notingSecrets(secret secretValues) secretValues {
	if secret == nil {
		return nil
	}
	return func(name string) (string, error) {
		value, err := secret(name)
		if err == nil {
			n.use(secretPrefix+name, value)
			return value, nil
		}
		if n.withheld == nil {
			n.withheld = map[string]error{}
		}
		n.withheld[secretPrefix+name] = err
		return "", err
	}
}

// escaped is the source for a part of a URL: any other byte of a secret could end the part,
// or make the whole address wrong.
func (s secretValues) escaped() secretValues {
	if s == nil {
		return nil
	}
	return func(name string) (string, error) {
		value, err := s(name)
		return strings.ReplaceAll(url.QueryEscape(value), "+", "%20"), err
	}
}

func (n *node) use(name, value string) {
	if n.used == nil {
		n.used = map[string]string{}
	}
	n.used[name] = value
}

// secrets are the values of all variables and secrets in the tree, by their references.
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

// expand replaces the references in a text. unset are those without a value; the text then
// stays as it is.
func (h *homeFolder) expand(text string, lookup variables, secret secretValues) (expanded string, unset []string) {
	if lookup == nil {
		h = nil
	}
	e := expander{h, lookup, secret, nil}
	if expanded = e.text(text, true); len(e.unset) > 0 {
		return text, e.unset
	}
	return expanded, nil
}

// expander expands one text.
type expander struct {
	home   *homeFolder
	lookup variables
	secret secretValues
	unset  []string
}

// text expands a text, or the default of a reference in it. start is true at the start of the
// whole text, where ~ is the home folder.
func (e *expander) text(text string, start bool) string {
	var out strings.Builder
	if start {
		head, rest, known := e.home.cut(text)
		if !known {
			e.unset = append(e.unset, homeVariable())
		}
		out.WriteString(head)
		text, start = rest, head == ""
	}
	for _, p := range pieces(text) {
		out.WriteString(e.piece(p, start))
		start = false
	}
	return out.String()
}

// piece is what a part of a text stands for. A mistake counts as a variable that is not set, so
// that the text stays; validate reports it.
func (e *expander) piece(p piece, start bool) string {
	name := p.name
	switch p.kind {
	case plainText:
		return p.plain
	case secretReference:
		name = secretPrefix + p.name
		if e.secret == nil {
			break
		}
		if value, err := e.secret(p.name); err == nil {
			return value
		}
	case variableReference:
		if e.lookup == nil {
			break
		}
		if value, ok := e.lookup(p.name); ok && (value != "" || !p.hasFallback) {
			return value
		}
		if p.hasFallback {
			return e.text(p.fallback, start)
		}
	case wrongReference:
		name = p.text
	}
	e.unset = append(e.unset, name)
	return p.text
}

// missing is a variable that is not set or a secret that is withheld, and the field that
// refers to it.
type missing struct {
	variable string
	field    []string // path in the tree
	why      error    // of a secret; nil for a variable
}

// missing lists the variables of the tree that are not set and the secrets that are
// withheld, in the order of the file.
func (n *node) missing(location ...string) []missing {
	var out []missing
	for _, name := range n.unset {
		out = append(out, missing{name, location, n.withheld[name]})
	}
	for name, child := range n.children() {
		out = append(out, child.missing(append(location[:len(location):len(location)], name)...)...)
	}
	return out
}
