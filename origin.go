package toolscript

import "sync/atomic"

// Origin is the host on which a call was carried out, if a hub of a fleet did so. It is
// safe for concurrent use. A nil Origin keeps nothing.
type Origin struct{ host atomic.Pointer[string] }

// Set sets the host.
func (o *Origin) Set(host string) {
	if o != nil {
		o.host.Store(&host)
	}
}

// Host returns the host; empty if no hub of a fleet has taken the call.
func (o *Origin) Host() string {
	if o == nil {
		return ""
	}
	if host := o.host.Load(); host != nil {
		return *host
	}
	return ""
}
