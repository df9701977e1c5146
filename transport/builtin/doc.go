// Package builtin is the server of the built-in tools. It has the methods of a
// connection to an MCP server, and no process and no protocol: a call is a function
// call in a goroutine of the gateway.
//
// registry.go lists the tools; each tool is one file of a package below this one, such
// as files/read_file.go. Package tool has what a tool consists of.
package builtin
