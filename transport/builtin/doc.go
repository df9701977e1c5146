// Package builtin is the server of the built-in tools: Go functions that work in a folder.
// The connection to them is a Conn of package upstream.
//
// registry.go lists the tools. This package has the tools that run programs, ask models, launch
// agents, show a plan, and list and read the resources of other servers. The others are in the
// packages workspace, documents and web. Each tool is one file, such as workspace/read_file.go. A
// tool.Tool describes a tool. See docs/design/tools.md.
package builtin
