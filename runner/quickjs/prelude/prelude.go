// Package prelude is the JavaScript environment of scripts: the module "toolscript",
// console, timers, URL and others. It was written for QuickJS, which has none of it.
// Deno runs the same text instead of its own, so that a script prints and throws the
// same on both engines.
//
// Each part except the module is a function of (host, internal): host has the
// operations of the engine, and internal is shared by the parts.
package prelude

import (
	"embed"
	"slices"
)

//go:embed *.js
var files embed.FS

// parts are in the order of evaluation.
var parts = []string{
	"intrinsics", "date", "array", "json", "stack", "inspect", "columns", "builtins", "errors", "format", "table", "console", "timers", "waits",
	"events", "abort", "clone", "encoding", "crypto", "subtle", "performance",
	"streams", "readable", "writable", "blob", "compression",
	"percent", "query", "address", "location", "url",
	"intl-locales", "intl", "intl-number", "intl-date", "intl-text", "intl-methods",
	"collections", "pages", "tools", "store", "stdin", "process", "value", "describe", "facade",
}

// The parts after all others, in this order.
const (
	Module = "module" // the module that scripts import
	Harden = "harden" // freezes what the others created
)

// Parts are the names of the parts before Module.
func Parts() []string { return slices.Clone(parts) }

// Source is the text of a part.
func Source(part string) (string, error) {
	text, err := files.ReadFile(part + ".js")
	return string(text), err
}
