package upstream

// Spoken is what is known about the MCP versions of a server from an earlier connection. The zero
// value means nothing.
type Spoken struct {
	// Version is Stateless if the server has answered in that version, and otherwise the version
	// that its handshake has agreed on.
	Version string `json:"version"`

	// Server is the server's own version at that time. A server with another one is asked again.
	Server string `json:"server,omitempty"`
}
