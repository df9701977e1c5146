package mcpclient

import (
	"fmt"
	"iter"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript/transport/mcpclient/httptransport"
)

// nameless handles an error without an id. By JSON-RPC, a server sends it for a request that it could
// not read. If exactly one request is in flight, that request fails. If several are, each mentions the
// error if it gets no answer. nameless ignores "method not found", because servers refuse
// notifications with it.
func (c *calls) nameless(failure *mcp.JSONRPCErrorDetails) {
	if failure.Code == mcp.METHOD_NOT_FOUND {
		return
	}
	c.mu.Lock()
	var one *sentCall
	for _, one = range c.open {
		one.nameless.Store(failure)
	}
	alone := len(c.open) == 1 && one.sole
	c.mu.Unlock()
	if alone {
		named := *failure
		named.Message = fmt.Sprintf("the server answered with an error without the id of a request, while only this one was open: %q", failure.Message)
		c.settle(one, reply{failure: &named})
	}
}

// isSole reports whether an error without an id can be the answer to a request of a method. It cannot be
// the answer to a ping or a list: the error may be about the notification that was sent before.
func isSole(method string) bool { return method != "ping" && !strings.HasSuffix(method, "/list") }

// unreadable fails the call whose answer cannot be read, such as JSON with NaN or with text before it.
// It returns false if the text is not the answer to a call.
func (c *calls) unreadable(text []byte, why string) bool {
	answer := httptransport.Unreadable(text)
	answer.Why = why
	return httptransport.IsAnswer(text) && c.refuse(httptransport.In(httptransport.Ends(text)), reply{err: answer})
}

// refuse ends the call with the first candidate id that is in flight. It returns false if none is.
func (c *calls) refuse(candidates iter.Seq[int64], r reply) bool {
	for id := range candidates {
		if call := c.find(id); call != nil {
			c.settle(call, r)
			return true
		}
	}
	return false
}

// other handles a message that answers none of our requests.
func (c *calls) other(m message) bool {
	if m.method == "" && m.failure != nil && (len(m.id) == 0 || string(m.id) == "null") {
		c.nameless(m.failure)
		return true
	}
	return c.asked != nil && c.asked(m)
}
