package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/toolscript/toolscript/transport/upstream"
)

// definingFields returns the fields of a server that decide which program or address it is,
// and which data it gets: all fields except upstream.Limits, including unknown fields. The
// user trusts these fields. The others only limit a trusted server, so they may change
// without a question.
func definingFields(n *node) []string {
	var fields []string
	for name := range n.children() {
		if !slices.Contains(upstream.Limits(), name) {
			fields = append(fields, name)
		}
	}
	rank := func(name string) int {
		if at := slices.Index(firstFields, name); at >= 0 {
			return at
		}
		return len(firstFields)
	}
	slices.SortFunc(fields, func(a, b string) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b)) })
	return fields
}

// firstFields are shown first, in this order.
var firstFields = []string{"type", "command", "args", "cwd", "env", "inheritEnv", "url", "headers", "root", "spec", "baseUrl", "auth"}

// settingDefinition has the settings that load a library, or name an address and what is
// sent there: tools and queries, the key of a model, spans of calls. The value lists the
// fields that need trust; nil means all.
var settingDefinition = map[string][]string{"search": {"model", "library", "remote"}, "providers": nil, "telemetry": nil}

// definitions are the parts of a file that a user trusts: one text for each server and for
// each setting of settingDefinition. A text contains the fields as written, before
// variables are expanded. Formatting and the order of keys do not change it.
type definitions struct {
	names    []string // names of the servers, in the order of the file
	servers  map[string]string
	scripts  map[string]string // texts of saved scripts by name
	settings map[string]string // only settings that need trust
}

func define(root *node) definitions {
	d := definitions{servers: map[string]string{}, settings: map[string]string{}}
	for name, n := range root.child(serversKey).children() {
		d.names = append(d.names, name)
		d.servers[name] = definition(name, n, definingFields(n))
		chooses := kindOf(n).Has("tools") || n.child("tools") != nil // the type may still be the name of a variable
		if packs := root.child("toolPacks"); packs != nil && chooses {
			d.servers[name] += "\n" + member("toolPacks", packs, "") // they decide which tools the server has
		}
	}
	for name, fields := range settingDefinition {
		n := root.child(name)
		switch {
		case n == nil:
		case fields == nil:
			d.settings[name] = member(name, n, "")
		case slices.ContainsFunc(fields, func(f string) bool { return n.child(f) != nil }):
			d.settings[name] = definition(name, n, fields)
		}
	}
	return d
}

// definition returns the text of an object with some of its fields. It omits values that
// mean the same as a missing field. An empty confine does not, because it allows nothing.
func definition(name string, n *node, fields []string) string {
	var members []string
	for _, field := range fields {
		value := n.child(field)
		if value == nil || value.isNothing() && field != "confine" || field == "type" && value.text() == impliedKind(n).Type {
			continue
		}
		members = append(members, member(field, value, "  "))
	}
	return asJSON(name) + ": " + braces(members, "")
}

// isNothing reports whether a value is false, an empty list or an empty object.
func (n *node) isNothing() bool {
	switch v := n.value.(type) {
	case bool:
		return !v
	case []*node:
		return len(v) == 0
	case *object:
		return len(v.fields) == 0
	default:
		return false
	}
}

// member returns one field of an object as text. The fields of an object have a line each,
// so that a diff shows the changed fields.
func member(name string, n *node, indent string) string {
	o, ok := n.value.(*object)
	if !ok {
		return indent + asJSON(name) + ": " + compact(n)
	}
	var members []string
	for _, field := range slices.Sorted(maps.Keys(o.fields)) {
		members = append(members, member(field, o.fields[field], indent+"  "))
	}
	return indent + asJSON(name) + ": " + braces(members, indent)
}

func braces(members []string, indent string) string {
	if len(members) == 0 {
		return "{}"
	}
	return "{\n" + strings.Join(members, ",\n") + "\n" + indent + "}"
}

// compact returns a value on one line, with strings as written in the file.
func compact(n *node) string {
	switch v := n.value.(type) {
	case []*node:
		var items []string
		for _, item := range v {
			items = append(items, compact(item))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case *object:
		var fields []string
		for _, field := range slices.Sorted(maps.Keys(v.fields)) {
			fields = append(fields, asJSON(field)+": "+compact(v.fields[field]))
		}
		return "{" + strings.Join(fields, ", ") + "}"
	case string:
		return asJSON(n.written)
	default:
		return asJSON(v)
	}
}

// asJSON returns a scalar as JSON.
func asJSON(value any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(value) // strings, numbers, booleans and null always encode
	return strings.TrimSuffix(b.String(), "\n")
}
