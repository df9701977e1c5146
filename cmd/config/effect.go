package config

import (
	"maps"
	"slices"
	"strings"
)

// effect is the set of the parts of a file that have effect. In the zero value, nothing is
// trusted.
type effect struct {
	all  bool // the file needs no trust
	file File // the file

	grant *grant // trusted definitions; nil if nothing was trusted
	parts definitions
}

// effect compares a project's file with the trusted definitions. If the record or its
// folder cannot be read, nothing is trusted.
func (l *loader) effect(file File, d *document) effect {
	e := effect{all: !file.Project || l.options.Trust, file: file}
	if e.all {
		return e
	}
	e.parts = define(d.root)
	e.parts.addScripts(file)
	if dir, err := DataDir(l.options); err == nil {
		e.grant, _ = readGrant(dir, file.Path)
	}
	return e
}

func (e effect) whole() bool    { return e.all || e.grant.all(e.parts) }
func (e effect) settings() bool { return e.all || e.grant != nil }
func (e effect) setting(n string) bool {
	return e.settings() && (e.all || e.grant.setting(n, e.parts.settings[n]))
}
func (e effect) server(n string) bool { return e.all || e.grant.server(n, e.parts.servers[n]) }
func (e effect) untrusted() (n []string) {
	for _, name := range e.parts.names {
		if !e.server(name) {
			n = append(n, name)
		}
	}
	return n
}

// distrust warns about the parts that are not trusted, and removes settings that are not trusted.
func (l *loader) distrust(d *document, file File, e effect) {
	if e.whole() {
		return
	}
	names := e.untrusted()
	l.config.Untrusted = append(l.config.Untrusted, names...)
	if !e.settings() {
		if len(names) > 0 || d.hasSettings() {
			l.warn("%s", file.Distrusted())
		}
		return
	}
	if len(names) > 0 {
		l.warn("%s: servers not started, because they are new or have changed since you trusted the file: %s; run: toolscript trust",
			file.Path, printable(strings.Join(names, ", ")))
	}
	for _, name := range slices.Sorted(maps.Keys(settingDefinition)) {
		if e.setting(name) {
			continue
		}
		fields, what := settingDefinition[name], name+" has no effect, because it has"
		if fields == nil {
			d.root.remove([]string{name})
		} else {
			d.root.child(name).remove(fields)
			what = name + "." + strings.Join(fields, ", "+name+".") + " have no effect, because they have"
		}
		l.warn("%s: %s changed since you trusted the file; run: toolscript trust", file.Path, what)
	}
}

func (d *document) hasSettings() bool {
	return d.root.child("approvals") != nil || d.root.child("pins") != nil || slices.ContainsFunc(settingNames, func(name string) bool { return d.root.child(name) != nil })
}

// remove removes fields from an object. It does nothing on nil.
func (n *node) remove(fields []string) {
	if n == nil {
		return
	}
	if o, ok := n.value.(*object); ok {
		for _, field := range fields {
			delete(o.fields, field)
		}
		o.names = slices.DeleteFunc(o.names, func(name string) bool { return slices.Contains(fields, name) })
	}
}
