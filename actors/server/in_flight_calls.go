package server

import "github.com/toolscript/toolscript"

// Calls returns the calls in flight, in no particular order.
func (p *Port) Calls() []toolscript.CallEntry {
	o := p.current.Load()
	if o == nil {
		return nil
	}
	o.calls.mu.Lock()
	defer o.calls.mu.Unlock()
	all := make([]toolscript.CallEntry, 0, len(o.calls.calls))
	for _, c := range o.calls.calls {
		all = append(all, toolscript.CallEntry{
			Run: c.call.Run, CallID: c.call.ID, Server: c.about.Server, Tool: toolscript.Tool{Server: c.about.Server, Name: c.about.Tool}.ID(),
			Since: c.begun, State: toolscript.CallRunning, ArgsBytes: len(c.call.Args),
		})
	}
	return all
}
