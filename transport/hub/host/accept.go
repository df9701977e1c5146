package host

import (
	"bufio"
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
	handshakeTime = 5 * time.Second // bounds the handshake of a connection
	maxHandshake  = 4 << 10         // bytes of the handshake
	maxLabel      = 200             // bytes of ConnectRequest.Label
	maxHandshakes = 64              // connections that have not completed the handshake
	acceptPause   = 50 * time.Millisecond
	writeTime     = 30 * time.Second // how long a write to a side that reads nothing may take
	bridgeBuffer  = 64 << 10
)

// acceptor admits connections at the socket.
type acceptor struct {
	host    *Host
	unknown chan struct{} // one entry for each connection that has not completed the handshake

	mu     sync.Mutex
	open   map[net.Conn]struct{}
	closed bool
	work   sync.WaitGroup
}

func newAcceptor(h *Host) *acceptor {
	return &acceptor{host: h, unknown: make(chan struct{}, maxHandshakes), open: map[net.Conn]struct{}{}}
}

// serve accepts connections until the listener is closed.
func (a *acceptor) serve(l net.Listener) {
	for {
		conn, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			a.host.log.Warn("connection to the hub not accepted", slog.String("error", err.Error()))
			time.Sleep(acceptPause) // for example, there is no free file descriptor
			continue
		}
		if !a.add(conn) {
			_ = conn.Close() // the hub is ending
			return
		}
		go func() {
			defer a.remove(conn)
			a.admit(conn)
		}()
	}
}

func (a *acceptor) add(conn net.Conn) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return false
	}
	a.open[conn] = struct{}{}
	a.work.Add(1)
	return true
}

func (a *acceptor) remove(conn net.Conn) {
	_ = conn.Close() // it may be closed already
	a.mu.Lock()
	delete(a.open, conn)
	a.mu.Unlock()
	a.work.Done()
}

// close ends all connections and waits for them.
func (a *acceptor) close() {
	a.mu.Lock()
	a.closed = true
	for conn := range a.open {
		_ = conn.Close() // its goroutine ends
	}
	a.mu.Unlock()
	a.work.Wait()
}

// admit performs the handshake, and passes the bytes of the connection to the NATS server
// until one side ends.
func (a *acceptor) admit(conn net.Conn) {
	if err := checkPeer(conn); err != nil {
		a.host.log.Warn("connection to the hub refused", slog.String("error", err.Error()))
		return
	}
	me, lines, ok := a.handshake(conn)
	if !ok {
		return
	}
	if a.host.draining.Load() {
		a.answer(conn, wire.ConnectAnswer{Error: "the hub is ending"})
		return
	}
	inside, password, err := a.host.broker.admit(me.ID)
	if err != nil {
		a.answer(conn, wire.ConnectAnswer{Error: "the hub is ending"})
		return
	}
	defer a.host.broker.forget(me.ID)
	defer func() { _ = inside.Close() }() // the NATS server sees the end
	if !a.host.arrived(me) {
		a.answer(conn, wire.ConnectAnswer{Error: "its id is in use"})
		return
	}
	defer a.host.left(me.ID)
	if a.answer(conn, wire.ConnectAnswer{Password: password}) {
		bridge(conn, lines, inside)
	}
}

// handshake exchanges the lines before NATS. It returns false if the connection is over.
func (a *acceptor) handshake(conn net.Conn) (me wire.ConnectRequest, lines *bufio.Reader, ok bool) {
	select {
	case a.unknown <- struct{}{}:
	default:
		return me, nil, false // too many connections that say nothing
	}
	defer func() { <-a.unknown }()
	if conn.SetDeadline(time.Now().Add(handshakeTime)) != nil || !send(conn, a.host.info()) {
		return me, nil, false
	}
	lines = bufio.NewReaderSize(conn, maxHandshake)
	line, err := lines.ReadSlice('\n')
	if err != nil {
		return me, nil, false // Probe ends here
	}
	me, err = ParseConnectRequest(line)
	switch {
	case err != nil:
		a.answer(conn, wire.ConnectAnswer{Error: err.Error()})
	case !same(me.Token, a.host.options.Token):
		a.answer(conn, wire.ConnectAnswer{Error: "the token is not the hub's"})
	case me.Query:
		status := a.host.Status()
		a.answer(conn, wire.ConnectAnswer{Status: &status})
	default:
		return me, lines, true
	}
	return me, nil, false
}

// ParseConnectRequest reads the first line that a gateway sends.
func ParseConnectRequest(line []byte) (me wire.ConnectRequest, err error) {
	if err := json.Unmarshal(line, &me); err != nil {
		return me, errors.New("its first line is not JSON")
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

// answer sends the answer to a ConnectRequest and reports whether it could.
func (a *acceptor) answer(conn net.Conn, w wire.ConnectAnswer) bool {
	if w.Error != "" {
		a.host.log.Warn("gateway refused", slog.String("reason", w.Error))
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

// pass copies until one side ends, which is not an error. A side that reads nothing for
// writeTime, such as a stopped process, counts as ended.
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
