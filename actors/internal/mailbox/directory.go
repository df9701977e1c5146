package mailbox

import "sync"

// Directory has the addresses of the running actors by their ids. Each supervisor writes the
// addresses of its children. It is safe for concurrent use. The zero Directory is empty.
type Directory struct {
	mu sync.RWMutex
	at map[string]Address
}

// Find returns the address of an actor, and false if it does not run.
func (d *Directory) Find(id string) (Address, bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	at, ok := d.at[id]
	return at, ok
}

// Pass sends a message to an actor. It does nothing if the actor does not run.
func (d *Directory) Pass(id string, message any) {
	if to, ok := d.Find(id); ok {
		Send(to.Engine, to.PID, message)
	}
}

func (d *Directory) set(id string, at Address) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.at == nil {
		d.at = map[string]Address{}
	}
	d.at[id] = at
}

func (d *Directory) remove(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.at, id)
}
