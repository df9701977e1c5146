package host

import (
	"bufio"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/toolscript/toolscript/transport/hub/wire"
)

const (
	greetTime    = 5 * time.Second // for a connection to introduce itself
	maxGreeting  = 4 << 10         // bytes of the introduction
	maxLabel     = 200             // bytes of Greeting.Label
	mostUnknown  = 64              // connections that have not introduced themselves
	acceptPause  = 50 * time.Millisecond
	writeTime    = 30 * time.Second // for the other side to read
	bridgeBuffer = 64 << 10
)

// door admits connections at the socket.
type door struct {
	host    *Host
	unknown chan struct{} // one entry for each connection that has not introduced itself

	mu     sync.Mutex
	open   map[net.Conn]struct{}
	closed bool
	work   sync.WaitGroup
}

func newDoor(h *Host) *door {
	return &door{host: h, unknown: make(chan struct{}, mostUnknown), open: map[net.Conn]struct{}{}}
}

// serve accepts connections until the listener is closed.
func (d *door) serve(l net.Listener) {
	for {
		conn, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			d.host.log.Warn("connection to the hub not accepted", slog.String("error", err.Error()))
			time.Sleep(acceptPause) // such as no free file descriptors
			continue
		}
		if !d.add(conn) {
			_ = conn.Close() // the hub is ending
			return
		}
		go func() {
			defer d.remove(conn)
			d.admit(conn)
		}()
	}
}

func (d *door) add(conn net.Conn) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return false
	}
	d.open[conn] = struct{}{}
	d.work.Add(1)
	return true
}

func (d *door) remove(conn net.Conn) {
	_ = conn.Close() // it may be closed already
	d.mu.Lock()
	delete(d.open, conn)
	d.mu.Unlock()
	d.work.Done()
}

// close ends all connections and waits for them.
func (d *door) close() {
	d.mu.Lock()
	d.closed = true
	for conn := range d.open {
		_ = conn.Close() // its goroutine ends
	}
	d.mu.Unlock()
	d.work.Wait()
}

// admit greets a connection, and passes its bytes to the NATS server until one side ends.
func (d *door) admit(conn net.Conn) {
	if err := checkPeer(conn); err != nil {
		d.host.log.Warn("connection to the hub refused", slog.String("error", err.Error()))
		return
	}
	me, lines, ok := d.greet(conn)
	if !ok {
		return
	}
	inside, password, err := d.host.broker.admit(me.ID)
	if err != nil {
		d.answer(conn, wire.Welcome{Error: "the hub is ending"})
		return
	}
	defer d.host.broker.forget(me.ID)
	defer func() { _ = inside.Close() }() // the NATS server sees the end
	if !d.host.arrived(me) {
		d.answer(conn, wire.Welcome{Error: "its id is in use"})
		return
	}
	defer d.host.left(me.ID)
	if d.answer(conn, wire.Welcome{Password: password}) {
		bridge(conn, lines, inside)
	}
}

// greet exchanges the lines before NATS. It returns false if the connection is over.
func (d *door) greet(conn net.Conn) (me wire.Greeting, lines *bufio.Reader, ok bool) {
	select {
	case d.unknown <- struct{}{}:
	default:
		return me, nil, false // too many connections that say nothing
	}
	defer func() { <-d.unknown }()
	if conn.SetDeadline(time.Now().Add(greetTime)) != nil || !send(conn, d.host.greeting()) {
		return me, nil, false
	}
	lines = bufio.NewReaderSize(conn, maxGreeting)
	line, err := lines.ReadSlice('\n')
	if err != nil {
		return me, nil, false // Greet ends here
	}
	me, err = ParseGreeting(line)
	switch {
	case err != nil:
		d.answer(conn, wire.Welcome{Error: err.Error()})
	case !same(me.Token, d.host.options.Token):
		d.answer(conn, wire.Welcome{Error: "the token is not the hub's"})
	case me.Query:
		status := d.host.Status()
		d.answer(conn, wire.Welcome{Status: &status})
	default:
		return me, lines, true
	}
	return me, nil, false
}

// ParseGreeting reads the introduction of a gateway.
func ParseGreeting(line []byte) (me wire.Greeting, err error) {
	if err := json.Unmarshal(line, &me); err != nil {
		return me, errors.New("its greeting is not JSON")
	}
	switch {
	case me.Protocol != wire.Protocol:
		return me, errors.New("it speaks another protocol")
	case !me.Query && !wire.ValidID(me.ID):
		return me, errors.New("its id is not 32 hexadecimal digits")
	case len(me.Label) > maxLabel:
		return me, errors.New("its label is too long")
	}
	return me, nil
}

// answer sends the answer to a greeting and reports whether it could.
func (d *door) answer(conn net.Conn, w wire.Welcome) bool {
	if w.Error != "" {
		d.host.log.Warn("gateway refused", slog.String("reason", w.Error))
	}
	return send(conn, w) && conn.SetDeadline(time.Time{}) == nil
}

func send(conn net.Conn, value any) bool {
	text, err := json.Marshal(value)
	if err != nil {
		return false
	}
	_, err = conn.Write(append(text, '\n'))
	return err == nil
}

// bridge copies bytes in both directions until one of them ends. It then closes both
// connections and returns when no byte is copied any more.
func bridge(outside net.Conn, from io.Reader, inside net.Conn) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		pass(inside, from)
		_ = outside.Close() // ends the other direction
		_ = inside.Close()
	}()
	pass(outside, inside)
	_ = outside.Close() // ends the other direction
	_ = inside.Close()
	<-done
}

// pass copies until an end. The end of a connection is no error here. A side that reads
// nothing for writeTime, as a stopped process, counts as ended.
func pass(to net.Conn, from io.Reader) {
	buffer := make([]byte, bridgeBuffer)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			if to.SetWriteDeadline(time.Now().Add(writeTime)) != nil {
				return
			}
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func newSecret() string {
	var secret [32]byte
	_, _ = rand.Read(secret[:]) // never fails
	return hex.EncodeToString(secret[:])
}
