package toolscript

import (
	"sync/atomic"
	"time"
)

// Origin collects what becomes known about a call while it is made: the fleet host that
// carried it out, its waits, output of the server that explains a missing answer, and why a
// question was refused. It is safe for concurrent use. A nil Origin ignores all setters.
type Origin struct {
	host           atomic.Pointer[string]
	approval, slot atomic.Int64 // sums of waits in nanoseconds
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

// Host returns the host; "" if no hub of a fleet has taken the call.
func (o *Origin) Host() string {
	if o == nil {
		return ""
	}
	if host := o.host.Load(); host != nil {
		return *host
	}
	return ""
}

// SetPrinted sets the output of the server that explains why the call has no answer.
func (o *Origin) SetPrinted(text string) {
	if o != nil {
		o.printed.Store(&text)
	}
}

// Printed returns the text of SetPrinted, or "".
func (o *Origin) Printed() string {
	if text := o.printed.Load(); text != nil {
		return *text
	}
	return ""
}

// SetRefused sets why a question of the server was refused. Otherwise only the server learns the reason.
func (o *Origin) SetRefused(why string) {
	if o != nil {
		o.refused.Store(&why)
	}
}

// Refused returns the text of SetRefused; "" if no question was refused.
func (o *Origin) Refused() string {
	if why := o.refused.Load(); why != nil {
		return *why
	}
	return ""
}

// AddApprovalWait adds the time of a wait for the approval of a person.
func (o *Origin) AddApprovalWait(after time.Duration) {
	if o != nil {
		o.approval.Add(int64(after))
	}
}

// Queue starts a wait for a slot, which Leave ends.
func (o *Origin) Queue(at time.Time) {
	if o != nil {
		o.queued.Store(&at)
	}
}

// Leave ends the wait that Queue started, if there is one.
func (o *Origin) Leave(at time.Time) {
	if o == nil {
		return
	}
	if since := o.queued.Swap(nil); since != nil {
		o.slot.Add(int64(max(0, at.Sub(*since))))
	}
}

// Waits returns how long the call has waited so far. QueuedMs is not set.
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

// Waits holds the times in milliseconds that a call waited before it was sent. The
// waits follow each other in the order of the fields.
type Waits struct {
	QueuedMs   float64 `json:"queuedMs,omitempty"`   // for its turn within the run; not part of Ms
	ApprovalMs float64 `json:"approvalMs,omitempty"` // for the approval of a person; part of Ms
	SlotMs     float64 `json:"slotMs,omitempty"`     // for the server, or for its turn there, also after an approval; part of Ms
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
