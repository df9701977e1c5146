// Package mcpclient connects to MCP servers. A Conn speaks with one server until
// it is lost; whoever wants another one dials again. mcp-go speaks the protocol,
// while the server's process, what is read from it and how it ends are ours.
//
// dial.go chooses the transport by the type of server; stdio.go is the only one
// of this version.
package mcpclient
