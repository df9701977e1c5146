package mcpclient

import (
	"strconv"
	"sync"
	"sync/atomic"
)

// callPrefix makes our request ids strings, which cannot be taken for the
// numbers that mcp-go gives its own requests.
const callPrefix = "toolscript-"

// call is one request under way.
type call struct {
	id        string
	progress  func() // nil when nobody asked
	oversized atomic.Bool
}

// calls are the requests under way, by id. The id is the progress token too.
type calls struct {
	last atomic.Int64
	mu   sync.Mutex
	open map[string]*call
}

func newCalls() *calls { return &calls{open: make(map[string]*call)} }

func (c *calls) begin(progress func()) *call {
	call := &call{id: callPrefix + strconv.FormatInt(c.last.Add(1), 10), progress: progress}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[call.id] = call
	return call
}

func (c *calls) end(call *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, call.id)
}

func (c *calls) find(id string) *call {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open[id]
}

// progress passes a sign of life on to the caller.
func (c *calls) progress(token string) {
	if call := c.find(token); call != nil && call.progress != nil {
		call.progress()
	}
}

// tooLarge notes that the answer to a call was not let in, and reports whether
// there is such a call.
func (c *calls) tooLarge(id string) bool {
	call := c.find(id)
	if call == nil {
		return false
	}
	call.oversized.Store(true)
	return true
}
