// Package builtin is the server of the built-in tools. They are Go functions that work in
// a folder; package inprocess is the connection to them.
//
// registry.go lists the tools; each tool is one file of a package below this one, such
// as files/read_file.go. Package tool has what a tool consists of.
package builtin
