// Package mcpclient connects to MCP servers. A Conn speaks with one server until
// it is lost; whoever wants another one dials again. mcp-go speaks the protocol,
// while the server's process, what is read from it and how it ends are ours.
//
// dial.go chooses the transport by the type of server: stdio.go is a process of
// ours, http.go a server on the network, whose wires are in package remote.
// session.go begins another session where the server has ended one, dialect.go
// knows the two generations of the protocol, asked.go answers the server.
package mcpclient
