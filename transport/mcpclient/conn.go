package mcpclient

import (
	"sync"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript"
)

// Info is what a server said of itself in the handshake.
type Info struct {
	Title        string
	Version      string
	Instructions string
	Protocol     string // the version of MCP that was agreed on
}

// Conn is a connection to one MCP server. It is safe for concurrent use. Once
// lost, it stays lost: dial again.
type Conn struct {
	name  string
	on    Events
	words cleaner
	info  Info
	peer  peer
	calls *calls

	protocol *client.Client // for the handshake and subscriptions alone
	dialect  dialect
	sessions sessions

	announcesTools   bool
	offers           offers
	ownAuthorization bool // the configuration has a header Authorization

	hintsMu sync.RWMutex
	safe    map[string]bool // tools that may be called twice, by the server's word

	closing  sync.Once
	closeErr error
}

// Info is what the server said of itself.
func (c *Conn) Info() Info { return c.info }

// Lost is closed when the connection has ended, for whatever reason.
func (c *Conn) Lost() <-chan struct{} { return c.peer.lost() }

// Err is why the connection has ended, with the exit status of a process that
// was the server. It is nil while the connection is up.
func (c *Conn) Err() error {
	select {
	case <-c.peer.lost():
		return c.peer.reason()
	default:
		return nil
	}
}

// Stderr is the end of what the server has written on its standard error,
// oldest line first, without control characters.
func (c *Conn) Stderr() []string { return c.peer.stderr() }

// Close ends the connection, and a server that is our process with all its
// offspring, within five seconds: SIGKILL comes after half of them. Calls under
// way fail. Closing again waits for the first Close and answers the same.
func (c *Conn) Close() error {
	c.closing.Do(func() { c.closeErr = c.peer.close() })
	return c.closeErr
}

// notified takes what the server tells unasked. It runs on the goroutine that
// reads the answers: whatever blocks here, and mcp-go's client itself, would
// stop them all, and a panic would end the process.
func (c *Conn) notified(n mcp.JSONRPCNotification) {
	defer recovered(c.on)
	switch n.Method {
	case mcp.MethodNotificationToolsListChanged:
		c.on.changed(c.on.ToolsChanged)
	case mcp.MethodNotificationResourcesListChanged:
		c.on.changed(c.on.ResourcesChanged)
	case mcp.MethodNotificationPromptsListChanged:
		c.on.changed(c.on.PromptsChanged)
	case "notifications/progress":
		token, _ := n.Params.AdditionalFields["progressToken"].(string)
		c.calls.progress(token)
	case "notifications/message":
		c.logged(n.Params.AdditionalFields)
	}
}

// remember keeps what the server says of its tools and later requests need.
func (c *Conn) remember(tools []toolscript.Tool) {
	safe := make(map[string]bool)
	for _, t := range tools {
		safe[t.Name] = yes(t.Annotations.ReadOnly) || yes(t.Annotations.Idempotent)
	}
	c.hintsMu.Lock()
	c.safe = safe
	c.hintsMu.Unlock()
	c.dialect.learn(tools)
}

// harmless reports whether a tool may be called twice.
func (c *Conn) harmless(tool string) bool {
	c.hintsMu.RLock()
	defer c.hintsMu.RUnlock()
	return c.safe[tool]
}

func yes(hint *bool) bool { return hint != nil && *hint }
