// Package upstream has what every kind of server has in common: its Config, the Events that it reports,
// and the ToolCall that it makes. A Redactor removes the secrets of a Config from texts.
//
// It also provides servers whose tools are Go functions, and what such functions need to send requests
// to HTTP APIs: Do and ReadAnswer. A Conn has the methods of a connection to an MCP server, but no
// process and no protocol: a call is a function call in a goroutine of this process. The built-in tools
// and the tools of a program that uses toolscript as a library are on such servers, and so are those of
// the packages openapi, graphql and commands.
//
// An AuthTransport sends the credentials of an HTTP API to one origin only. A ConvertKind lets
// connections process foreign bytes outside of the gateway's process.
package upstream
