package config

import (
	"net/url"
	"regexp"
	"strings"
	"sync"
)

// reference is ${VAR} or ${VAR:-default}. The name ends at the first colon or brace, the
// default at the next brace. There is no escape sequence. Other forms, such as ${VAR:x},
// are ordinary text, except those of secretReference.
var reference = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{([^:}]+)(:-([^}]*))?\}`) })

// secretReference is ${secret:NAME}.
var secretReference = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{secret:([^}]*)\}`) })

// anyReference is one of both.
var anyReference = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(secretReference().String() + "|" + reference().String())
})

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
	own := func(text string) (head, rest string) {
		head, rest, known := h.cut(text)
		if !known {
			unset = append(unset, homeVariable())
		}
		return head, rest
	}
	head, rest := own(text)
	first := anyReference().FindStringIndex(text)
	atStart := first != nil && first[0] == 0 // the first reference is the start of the text
	expanded = head + anyReference().ReplaceAllStringFunc(rest, func(found string) string {
		start := atStart
		atStart = false
		parts := anyReference().FindStringSubmatch(found)
		name, hasDefault, fallback := parts[2], parts[3] != "", parts[4]
		if name == "" {
			name = secretPrefix + parts[1]
			if secret != nil {
				if value, err := secret(parts[1]); err == nil {
					return value
				}
			}
			unset = append(unset, name)
			return found
		}
		if lookup == nil {
			unset = append(unset, name)
			return found
		}
		if value, ok := lookup(name); ok {
			return value
		}
		switch {
		case !hasDefault:
			unset = append(unset, name)
		case start:
			head, rest := own(fallback)
			return head + rest
		}
		return fallback
	})
	if len(unset) > 0 {
		return text, unset
	}
	return expanded, nil
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
