package upstream

// Info is the server's description of itself in the handshake.
type Info struct {
	Title        string
	Version      string
	Instructions string
	Protocol     string // the negotiated version of MCP
}
