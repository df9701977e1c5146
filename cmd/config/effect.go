package config

import (
	"slices"
	"strings"
)

// effect is the set of the parts of a file that have effect. Nothing is trusted in the
// zero value.
type effect struct {
	all   bool   // the file needs no trust
	grant *grant // nil if nothing was trusted
	parts definitions
}

// effect compares a project's file with the trusted definitions. If the record or its
// folder cannot be used, nothing is trusted.
func (l *loader) effect(file File, d *document) effect {
	e := effect{all: !file.Project || l.options.Trust}
	if e.all {
		return e
	}
	e.parts = define(d.root)
	if dir, err := DataDir(l.options); err == nil {
		e.grant, _ = readGrant(dir, file.Path)
	}
	return e
}

func (e effect) whole() bool          { return e.all || e.grant.all(e.parts) }
func (e effect) settings() bool       { return e.all || e.grant != nil }
func (e effect) search() bool         { return e.all || e.grant.searches(e.parts.search) }
func (e effect) server(n string) bool { return e.all || e.grant.server(n, e.parts.servers[n]) }
func (e effect) untrusted() (n []string) {
	for _, name := range e.parts.names {
		if !e.server(name) {
			n = append(n, name)
		}
	}
	return n
}

// distrust warns about the parts that are not trusted, and removes those settings of the
// search.
func (l *loader) distrust(d *document, file File, e effect) {
	if e.whole() {
		return
	}
	names := e.untrusted()
	l.config.Untrusted = append(l.config.Untrusted, names...)
	if !e.settings() {
		if len(names) > 0 || d.hasSettings() {
			l.warn("%s is not trusted: its servers are not started and its settings have no effect; run: toolscript trust", file.Path)
		}
		return
	}
	if len(names) > 0 {
		l.warn("%s: servers not started, because they are new or have changed since you trusted the file: %s; run: toolscript trust",
			file.Path, printable(strings.Join(names, ", ")))
	}
	if !e.search() {
		d.root.child("search").remove(searchDefinition)
		l.warn("%s: search.%s have no effect, because they have changed since you trusted the file; run: toolscript trust",
			file.Path, strings.Join(searchDefinition, ", search."))
	}
}

func (d *document) hasSettings() bool {
	return d.root.child("approvals") != nil || d.root.child("pins") != nil || slices.ContainsFunc(settingNames, func(name string) bool { return d.root.child(name) != nil })
}

// remove removes fields of an object.
func (n *node) remove(fields []string) {
	if o, ok := n.value.(*object); ok {
		for _, field := range fields {
			delete(o.fields, field)
		}
		o.names = slices.DeleteFunc(o.names, func(name string) bool { return slices.Contains(fields, name) })
	}
}
