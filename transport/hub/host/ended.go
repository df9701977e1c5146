package host

import (
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/toolscript/toolscript/transport/hub/wire"
)

const (
	presenceAge  = 3 * time.Second // how long the result of dropEnded is used
	presenceTime = time.Second     // bounds the wait for the answer of the NATS server
)

// present returns the number of gateways that have used the hub lately and have not ended.
func (f *Fleet) present() int {
	f.looking.Lock()
	defer f.looking.Unlock()
	if time.Since(f.looked) > presenceAge && f.closing.Err() == nil {
		f.dropEnded()
		f.looked = time.Now()
	}
	return len(f.all())
}

// dropEnded drops the gateways whose subjects have no subscriber any more. The NATS server
// reports them before it answers the flush. A gateway that is present ignores the message.
func (f *Fleet) dropEnded() {
	all := f.all()
	answers := make(chan *nats.Msg, len(all)) // the connection fills it before flush returns
	inbox := f.control.NewRespInbox()
	sub, err := f.control.ChanSubscribe(inbox+".*", answers)
	if err != nil {
		return // the connection has ended
	}
	defer func() { _ = sub.Unsubscribe() }() // as above
	for i, g := range all {
		_ = f.control.PublishRequest(g.names.Reply(0)+"."+wire.Present, inbox+"."+strconv.Itoa(i), nil) // as above
	}
	if f.control.FlushTimeout(presenceTime) != nil {
		return
	}
	for {
		select {
		case m := <-answers:
			if i, err := strconv.Atoi(wire.Last(m.Subject)); err == nil && i < len(all) && m.Header.Get("Status") == "503" {
				f.drop(all[i])
			}
		default:
			return
		}
	}
}
