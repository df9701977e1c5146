// Package builtin is the server of the built-in tools: Go functions that work in a folder.
// Package inprocess is the connection to them.
//
// registry.go lists the tools. Each tool is one file in a package below this one, such as
// files/read_file.go. Package tool defines what a tool is. See docs/design/tools.md.
package builtin
