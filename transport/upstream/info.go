package upstream

// Info is the server's description of itself in the handshake.
type Info struct {
	Title        string
	Icon         string // data URI of an image
	Version      string
	Instructions string
	Protocol     string // the negotiated version of MCP
}
