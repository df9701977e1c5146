// Package prelude holds what scripts find beside the language itself: the
// module "toolscript", console, timers, URL and the like, in JavaScript. It was
// written for QuickJS, which has none of it. Deno runs the same text in place
// of its own, so that a script prints and throws the same on both engines.
//
// Each part but the module is one function of (host, internal): host has the
// operations of the engine that runs it, and internal is what the parts share.
package prelude

import (
	"embed"
	"slices"
)

//go:embed *.js
var files embed.FS

// parts are in the order of their evaluation.
var parts = []string{
	"intrinsics", "stack", "inspect", "columns", "builtins", "errors", "format", "table", "console", "timers",
	"events", "abort", "clone", "encoding", "crypto", "performance",
	"percent", "query", "address", "location", "url",
	"tools", "stdin", "process", "value", "describe", "facade",
}

// The parts that come after all others, in this order.
const (
	Module = "module" // the module that scripts import
	Harden = "harden" // freezes what the others have made
)

// Parts are the names of the parts before Module.
func Parts() []string { return slices.Clone(parts) }

// Source is the text of a part.
func Source(part string) (string, error) {
	text, err := files.ReadFile(part + ".js")
	return string(text), err
}
