package hub

import (
	"slices"
	"sync"

	"github.com/nats-io/nats.go"
)

// outbox passes messages on to the hub, in their order and in a goroutine of its own. Writing
// blocks while the hub does not read, and neither the time limit of a call nor the other calls
// of its server may wait for that. It is safe for concurrent use.
type outbox struct {
	write func(letter) error

	mu      sync.Mutex
	letters []letter
	busy    bool // a goroutine passes letters on
}

// letter is a message to a hub.
type letter struct {
	subject string
	number  uint64 // number of its request
	header  nats.Header
	payload []byte
	failed  func(error) // called if the message was certainly not sent; nil if the message begins no request
}

// put queues a message. It does not block.
func (o *outbox) put(l letter) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.letters = append(o.letters, l)
	if !o.busy {
		o.busy = true
		go o.pass()
	}
}

func (o *outbox) pass() {
	for l, more := o.next(); more; l, more = o.next() {
		if err := o.write(l); err != nil && l.failed != nil {
			l.failed(err)
		}
	}
}

func (o *outbox) next() (l letter, more bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.letters) == 0 {
		o.letters, o.busy = nil, false
		return letter{}, false
	}
	l = o.letters[0]
	o.letters[0] = letter{}
	o.letters = o.letters[1:]
	return l, true
}

// withdraw removes the message that begins a request, and reports whether it was still here.
func (o *outbox) withdraw(request uint64) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	at := slices.IndexFunc(o.letters, func(l letter) bool { return l.number == request && l.failed != nil })
	if at < 0 {
		return false
	}
	o.letters = slices.Delete(o.letters, at, at+1)
	return true
}
