package config

import (
	"iter"
	"strconv"
)

// plain returns the value in the types of encoding/json, without the fields that are unknown: a reader
// with encoding/json would take "Network" for "network".
func (n *node) plain() any {
	switch v := n.value.(type) {
	case []*node:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = item.plain()
		}
		return list
	case *object:
		fields := make(map[string]any, len(v.fields))
		for name, field := range v.fields {
			if !field.unknown {
				fields[name] = field.plain()
			}
		}
		return fields
	default:
		return v
	}
}

// children yields the fields or items with their names, in the order of the file.
func (n *node) children() iter.Seq2[string, *node] {
	return func(yield func(string, *node) bool) {
		if n == nil {
			return
		}
		switch v := n.value.(type) {
		case []*node:
			for i, item := range v {
				if !yield(strconv.Itoa(i), item) {
					return
				}
			}
		case *object:
			for _, name := range v.names {
				if !yield(name, v.fields[name]) {
					return
				}
			}
		}
	}
}

// all yields the node and all nodes below it, in the order of the file, with their locations below at.
func (n *node) all(at ...string) iter.Seq2[[]string, *node] {
	return func(yield func([]string, *node) bool) { n.visit(at, yield) }
}

func (n *node) visit(at []string, yield func([]string, *node) bool) bool {
	if n == nil {
		return true
	}
	if !yield(at, n) {
		return false
	}
	for name, child := range n.children() {
		if !child.visit(append(at[:len(at):len(at)], name), yield) {
			return false
		}
	}
	return true
}

// child returns the field or item of a name, or nil. Like the methods below, it may be
// called on nil.
func (n *node) child(name string) *node {
	if n == nil {
		return nil
	}
	switch v := n.value.(type) {
	case *object:
		return v.fields[name]
	case []*node:
		if i, err := strconv.Atoi(name); err == nil && 0 <= i && i < len(v) {
			return v[i]
		}
	}
	return nil
}

// find follows a path as far as it exists: for a missing field it returns the object that
// lacks the field.
func (n *node) find(location []string) *node {
	for _, name := range location {
		next := n.child(name)
		if next == nil {
			break
		}
		n = next
	}
	return n
}

func (n *node) isList() bool {
	if n == nil {
		return false
	}
	_, ok := n.value.([]*node)
	return ok
}

// text returns the string, or "" for any other value.
func (n *node) text() string {
	if n == nil {
		return ""
	}
	text, _ := n.value.(string)
	return text
}

// flag reports whether the value is true.
func (n *node) flag() bool {
	return n != nil && n.value == true
}

// off reports whether the value is there and is not true.
func (n *node) off() bool { return n != nil && !n.flag() }

// list returns the elements of a list, or nil for any other value.
func (n *node) list() []*node {
	if n == nil {
		return nil
	}
	list, _ := n.value.([]*node)
	return list
}

// texts returns the strings of a list.
func (n *node) texts() []string {
	var out []string
	for _, item := range n.children() {
		out = append(out, item.text())
	}
	return out
}

// textMap returns the fields of an object of strings.
func (n *node) textMap() map[string]string {
	var out map[string]string
	for name, field := range n.children() {
		if out == nil {
			out = map[string]string{}
		}
		out[name] = field.text()
	}
	return out
}

// number returns the number, or 0 for any other value.
func (n *node) number() float64 {
	if n == nil {
		return 0
	}
	switch v := n.value.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	default:
		return 0
	}
}
