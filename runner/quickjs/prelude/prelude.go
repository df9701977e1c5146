// Package prelude contains the JavaScript environment of scripts: the module "toolscript",
// console, timers, URL and others, which QuickJS does not have. Deno runs the same code in
// place of its own, so that scripts have the same output and errors on both engines.
//
// Each part except the module is a function of (host, internal). host has the operations of
// the engine; internal is an object that the parts share.
package prelude

import (
	"embed"
	"slices"
)

//go:embed *.js
var files embed.FS

// parts lists the parts before Module, in the order of evaluation.
var parts = []string{
	"intrinsics", "date", "array", "json", "stack", "inspect", "columns", "builtins", "errors", "format", "table", "console", "timers", "waits",
	"events", "abort", "clone", "encoding", "crypto", "subtle", "performance",
	"streams", "readable", "writable", "blob", "compression",
	"percent", "query", "address", "location", "url",
	"intl-locales", "intl", "intl-number", "intl-date", "intl-text", "intl-methods",
	"collections", "pages", "tools", "store", "stdin", "process", "value", "describe", "facade",
}

// The last parts, in the order of evaluation.
const (
	Module = "module" // the module that scripts import
	Harden = "harden" // freezes all objects that the other parts created
)

// Parts returns the names of the parts before Module, in the order of evaluation.
func Parts() []string { return slices.Clone(parts) }

// Source returns the code of a part.
func Source(part string) (string, error) {
	text, err := files.ReadFile(part + ".js")
	return string(text), err
}
