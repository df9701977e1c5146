package config

import (
	"net/url"
	"strings"
)

// variables returns the value of a variable. If it is nil, references stay as written.
type variables func(name string) (value string, ok bool)

// secretValues returns the value of a secret. If it is nil, references to secrets stay as written.
type secretValues func(name string) (value string, err error)

// expand replaces the references in all strings of the tree, and ~ at the start of a path.
// Values are not expanded again. A string stays as written if one of its variables is not
// set, one of its secrets is withheld, or the source of the values is nil.
func (n *node) expand(lookup variables, secret secretValues) {
	for _, n := range n.all() {
		text, is := n.value.(string)
		if !is {
			continue
		}
		secret := n.notingSecrets(secret)
		if n.address {
			secret = secret.escaped()
		}
		n.value, n.unset = n.home.expand(text, n.noting(lookup), secret)
	}
}

// noting returns a lookup that records the values of the variables that a string uses.
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

// notingSecrets returns a source that records which secrets a string uses, or why they are withheld.
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

// escaped returns a source for a part of a URL. Without escaping, a secret could end that
// part or make the address invalid.
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

// secrets returns the values of all variables and secrets in the tree, by their references.
func (n *node) secrets() map[string]string {
	var all map[string]string
	for _, n := range n.all() {
		for name, value := range n.used {
			if all == nil {
				all = map[string]string{}
			}
			all["${"+name+"}"] = value
		}
	}
	return all
}

// expand replaces the references in a text. unset lists those without a value; if there are
// any, the text stays as it is.
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

// text expands a text, or the default of a reference. start is true at the start of the
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

// piece returns the text that a piece stands for. A mistake counts as an unset variable, so
// that the text stays as written; validate reports it.
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

// missing is an unset variable or a withheld secret, with the field that refers to it.
type missing struct {
	variable string
	field    []string // path in the tree
	why      error    // why a secret is withheld; nil for a variable
}

// missing lists the unset variables and the withheld secrets of the tree, in the order of
// the file.
func (n *node) missing(location ...string) (out []missing) {
	for location, n := range n.all(location...) {
		for _, name := range n.unset {
			out = append(out, missing{name, location, n.withheld[name]})
		}
	}
	return out
}
