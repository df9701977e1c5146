package mcpclient

import (
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/internal/rescue"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Conn is a connection to one MCP server. It is safe for concurrent use. It does not
// reconnect: after a loss, dial again.
type Conn struct {
	name   string
	on     upstream.Events
	redact upstream.Redactor
	info   upstream.Info
	peer   peer
	calls  *calls

	answers  *budget.Budget // nil means unlimited
	protocol *client.Client // for the handshake only
	refused  versions       // versions that the server has named when it refused ours
	dialect  dialect
	sessions sessions
	startled atomic.Bool // the process has ended after the request of the newest version

	announcesTools bool
	announces      atomic.Bool  // the server sends a notification when its list of tools changes
	listAge        atomic.Int64 // a time.Duration; see ListAge
	offers         offers
	tasks          tasks
	subscriptions  subscriptions
	credentials    string // names of the configured fields that may contain credentials

	hintsMu sync.RWMutex
	safe    map[string]bool // tools whose annotations allow a repeated call

	closing  sync.Once
	closeErr error
}

// Info returns the server's description of itself.
func (c *Conn) Info() upstream.Info { return c.info }

// PID returns the process id of a stdio server; 0 for other servers.
func (c *Conn) PID() int {
	if s, ok := c.peer.(*stdio); ok {
		return s.proc.cmd.Process.Pid
	}
	return 0
}

// Lost returns a channel that is closed when the connection has ended for any reason.
func (c *Conn) Lost() <-chan struct{} { return c.peer.lost() }

// Err returns the reason why the connection ended, including the exit status of a
// stdio server. It returns nil while the connection is up.
func (c *Conn) Err() error {
	select {
	case <-c.peer.lost():
		return c.peer.reason()
	default:
		return nil
	}
}

// Stderr returns the last lines of the server's standard error, oldest first, without
// control characters.
func (c *Conn) Stderr() []string { return c.peer.stderr() }

// Close ends the connection within five seconds. A stdio server ends with all
// processes of its group; SIGKILL is sent after half of that time. Calls in flight
// fail. Further calls of Close wait for the first one and return its error.
func (c *Conn) Close() error {
	c.closing.Do(func() { c.closeErr = c.peer.close() })
	return c.closeErr
}

// notified handles a notification. It runs in the goroutine that reads the answers, so it must not
// block or call mcp-go's client: no answer could arrive. It must not panic, because that would end
// the process.
func (c *Conn) notified(n mcp.JSONRPCNotification) {
	defer rescue.Catch(panicked(c.on))
	switch n.Method {
	case mcp.MethodNotificationToolsListChanged:
		c.on.NoteToolsChanged()
	case mcp.MethodNotificationResourcesListChanged:
		if c.offers.skills {
			c.on.NoteToolsChanged()
		}
		c.on.NoteListChanged(toolscript.Resources)
	case mcp.MethodNotificationPromptsListChanged:
		c.on.NoteListChanged(toolscript.Prompts)
	case mcp.MethodNotificationResourceUpdated:
		uri, _ := n.Params.AdditionalFields["uri"].(string)
		c.on.NoteUpdated(uri)
	case mcp.MethodNotificationSubscriptionsAcknowledged:
		for _, uri := range c.subscriptions.acknowledged(n.Params.AdditionalFields) {
			c.on.NoteUpdated(uri)
		}
	case "notifications/progress":
		token := tokenOf(n.Params.AdditionalFields)
		c.calls.progress(token)
		c.calls.forwardProgress(token, n.Params.AdditionalFields)
	case "notifications/tasks/status", "notifications/tasks":
		c.tasks.announced(n.Params.AdditionalFields)
	case string(mcp.MethodNotificationElicitationComplete):
		id, _ := n.Params.AdditionalFields["elicitationId"].(string)
		c.on.NoteFinished(id)
	case "notifications/message":
		c.logged(n.Params.AdditionalFields)
	}
}

// remember keeps the parts of the tool list that later requests need.
func (c *Conn) remember(tools []toolscript.Tool) {
	safe := make(map[string]bool)
	for _, t := range tools {
		safe[t.Name] = t.Annotations.Repeatable()
	}
	c.hintsMu.Lock()
	c.safe = safe
	c.hintsMu.Unlock()
	c.dialect.setTools(tools)
}

// harmless reports whether the annotations of a tool say that it may be called twice.
func (c *Conn) harmless(tool string) bool {
	c.hintsMu.RLock()
	defer c.hintsMu.RUnlock()
	return c.safe[tool]
}
