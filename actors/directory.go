package actors

import (
	"sync"

	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

// directory says where the actors are that can be asked now. Only the
// supervisor writes it; everybody reads it.
type directory struct {
	mu sync.RWMutex
	at map[string]mailbox.Address // by id
}

func newDirectory() *directory { return &directory{at: map[string]mailbox.Address{}} }

func (d *directory) find(id string) (mailbox.Address, bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	at, ok := d.at[id]
	return at, ok
}

func (d *directory) set(id string, at mailbox.Address) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.at[id] = at
}

func (d *directory) remove(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.at, id)
}
