// Package mcpclient connects to MCP servers. A Conn communicates with one server until the
// connection is lost; it does not reconnect. mcp-go implements the protocol. This package manages
// the server's process, filters its output, and detects the end of the connection. See
// docs/design/servers.md.
//
// dial.go chooses the transport by the type of server. stdio.go runs a server as a
// child process. http.go connects to servers over HTTP with the transports of package
// httptransport. session.go replaces expired sessions. dialect.go implements the
// differences between versions of MCP. server_requests.go answers requests of the server.
package mcpclient
