package toolscript

import (
	"sync/atomic"
	"time"
)

// Origin is what becomes known of a call while it is made: the host on which it was carried
// out, if a hub of a fleet did so, how long it waited, why it may have no answer, and why a question of its server was refused. It is safe for concurrent use. A
// nil Origin keeps nothing.
type Origin struct {
	host           atomic.Pointer[string]
	approval, slot atomic.Int64 // nanoseconds
	queued         atomic.Pointer[time.Time]
	printed        atomic.Pointer[string]
	refused        atomic.Pointer[string]
}

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

// SetPrinted sets what the server of a call without an answer has printed that explains it.
func (o *Origin) SetPrinted(text string) {
	if o != nil {
		o.printed.Store(&text)
	}
}

// Printed returns the text of SetPrinted; empty if there is none.
func (o *Origin) Printed() string {
	if text := o.printed.Load(); text != nil {
		return *text
	}
	return ""
}

// SetRefused sets why a question of the server was refused, which only the server knows otherwise.
func (o *Origin) SetRefused(why string) {
	if o != nil {
		o.refused.Store(&why)
	}
}

// Refused returns the text of SetRefused; empty if no question was refused.
func (o *Origin) Refused() string {
	if why := o.refused.Load(); why != nil {
		return *why
	}
	return ""
}

// Approved adds a wait for the decision of a person.
func (o *Origin) Approved(after time.Duration) {
	if o != nil {
		o.approval.Add(int64(after))
	}
}

// Queue begins a wait for a slot, and Leave ends it if there is one.
func (o *Origin) Queue(at time.Time) {
	if o != nil {
		o.queued.Store(&at)
	}
}

// Leave ends the wait that Queue began.
func (o *Origin) Leave(at time.Time) {
	if o == nil {
		return
	}
	if since := o.queued.Swap(nil); since != nil {
		o.slot.Add(int64(max(0, at.Sub(*since))))
	}
}

// Waits returns how long the call has waited so far, without the time before it began.
func (o *Origin) Waits() Waits {
	if o == nil {
		return Waits{}
	}
	slot := time.Duration(o.slot.Load())
	if since := o.queued.Load(); since != nil {
		slot += time.Since(*since)
	}
	return Waits{ApprovalMs: milliseconds(time.Duration(o.approval.Load())), SlotMs: milliseconds(slot)}
}

// Waits are the times in milliseconds that a call has waited before it was sent. They follow
// each other in the order of the fields.
type Waits struct {
	QueuedMs   float64 `json:"queuedMs,omitempty"`   // for its turn in its run, before the time that Ms has
	ApprovalMs float64 `json:"approvalMs,omitempty"` // for the decision of a person, a part of Ms
	SlotMs     float64 `json:"slotMs,omitempty"`     // for the server, or for its turn there or after an approval, a part of Ms
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
