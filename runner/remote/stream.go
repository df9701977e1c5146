package remote

import (
	"encoding/binary"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	pieceSize = 128 << 10 // bytes of a frame in one message; NATS allows 1 MB
	window    = 32        // number of pieces that a receiver buffers
	headSize  = 9         // size of the head of a message: its kind and a number
)

// The kinds of messages.
const (
	messagePart   = 'p' // a piece of a frame that more pieces follow
	messageLast   = 'l' // the last piece of a frame
	messageCredit = 'c' // the receiver has room for this number of further pieces
	messagePing   = 'i' // shows that the sender is alive
	messageClose  = 'x' // the sender has closed the stream
)

// A stream carries frames between two clients of NATS, in order and exactly once. A window
// bounds the pieces that the receiver has not handled yet. NATS loses messages when a
// connection breaks or a client is slow, so pieces are numbered, and a loss ends the stream
// with errGap. Pings end it within seconds after a client is gone. It is safe for concurrent
// use.
type stream struct {
	nc       *nats.Conn
	from, to string // subjects of received and of sent messages
	sub      *nats.Subscription
	ticker   *time.Ticker
	heard    atomic.Int64 // time of the last message of the other side, in nanoseconds since begun
	begun    time.Time

	incoming chan frame    // complete frames
	done     chan struct{} // closed when the stream has ended

	mu    sync.Mutex
	err   error // why the stream ended; nil before
	queue []piece
	bytes int           // size of queue
	room  int           // number of pieces that may be sent
	sent  uint64        // number of the last piece
	space chan struct{} // closed when the queue is short; nil if nobody waits

	// Only the goroutine of the subscription uses these.
	received uint64 // number of the last piece
	partial  []byte
}

// piece is a part of a frame in the queue.
type piece struct {
	kind byte
	data []byte
}

// frame is a message of a run; see doc.go.
type frame struct {
	kind    frameKind
	payload []byte
}

// open opens a stream that receives at from and sends to to. Frames can be sent at once.
func open(nc *nats.Conn, from, to string) (*stream, error) {
	s := &stream{
		nc: nc, from: from, to: to, ticker: time.NewTicker(pingTime), begun: time.Now(),
		incoming: make(chan frame, window), done: make(chan struct{}), room: window,
	}
	sub, err := nc.Subscribe(from, s.receive)
	if err != nil {
		return nil, err
	}
	s.sub = sub
	return s, nil
}

// watch sends pings, and ends the stream if the other side is silent.
func (s *stream) watch() {
	defer s.ticker.Stop()
	s.heard.Store(int64(time.Since(s.begun)))
	for {
		select {
		case <-s.done:
			return
		case <-s.ticker.C:
			if time.Since(s.begun)-time.Duration(s.heard.Load()) > silentTime {
				s.fail(errSilent)
				return
			}
			if errors.Is(s.publish(messagePing, 0, nil), nats.ErrConnectionClosed) { // other errors may be temporary
				s.fail(errGone)
				return
			}
		}
	}
}

// frames returns the channel of received frames. The receiver must call took after each frame.
func (s *stream) frames() <-chan frame { return s.incoming }

// took allows the other side to send another piece, after a frame was handled.
func (s *stream) took() { s.credit(1) }

// send queues a frame. It does not block.
func (s *stream) send(kind frameKind, parts ...[]byte) {
	size := 1
	for _, p := range parts {
		size += len(p)
	}
	data := make([]byte, 1, size)
	data[0] = byte(kind)
	for _, p := range parts {
		data = append(data, p...)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(data) > pieceSize {
		s.push(piece{messagePart, data[:pieceSize]})
		data = data[pieceSize:]
	}
	s.push(piece{messageLast, data})
	s.flush()
}

// push appends a piece to the queue. The caller holds mu.
func (s *stream) push(p piece) {
	s.queue = append(s.queue, p)
	s.bytes += len(p.data)
}

// flush sends queued pieces while the receiver has room. The caller holds mu.
func (s *stream) flush() {
	for s.err == nil && s.room > 0 && len(s.queue) > 0 {
		p := s.queue[0]
		s.queue[0] = piece{}
		s.queue = s.queue[1:]
		s.bytes -= len(p.data)
		s.room--
		s.sent++
		_ = s.publish(p.kind, s.sent, p.data) // watch notices an ended connection
	}
	if s.space != nil && s.bytes <= maxQueued {
		close(s.space)
		s.space = nil
	}
}

// maxQueued is the size of the queue in bytes above which wait blocks.
const maxQueued = 1 << 20

// wait blocks until the queue has at most maxQueued bytes, or the stream has ended.
func (s *stream) wait() {
	s.mu.Lock()
	if s.bytes <= maxQueued || s.err != nil {
		s.mu.Unlock()
		return
	}
	if s.space == nil {
		s.space = make(chan struct{})
	}
	space := s.space
	s.mu.Unlock()
	select {
	case <-space:
	case <-s.done:
	}
}

// publish sends a message. If nobody receives it, the NATS server sends status 503 to from.
func (s *stream) publish(kind byte, number uint64, payload []byte) error {
	data := make([]byte, headSize, headSize+len(payload))
	data[0] = kind
	binary.BigEndian.PutUint64(data[1:], number)
	return s.nc.PublishRequest(s.to, s.from, append(data, payload...))
}

// credit tells the other side that there is room for n more pieces.
func (s *stream) credit(n int) { _ = s.publish(messageCredit, uint64(n), nil) }

// receive handles a message.
func (s *stream) receive(m *nats.Msg) {
	if len(m.Data) < headSize {
		if m.Header.Get("Status") == "503" { // nobody receives at to
			s.fail(errGone)
		}
		return
	}
	s.heard.Store(int64(time.Since(s.begun)))
	number := binary.BigEndian.Uint64(m.Data[1:])
	switch m.Data[0] {
	case messagePart, messageLast:
		s.take(m.Data[0], number, m.Data[headSize:])
	case messageCredit:
		s.mu.Lock()
		s.room = min(s.room+int(min(number, window)), window)
		s.flush()
		s.mu.Unlock()
	case messageClose:
		s.fail(errClosed)
	}
}

// take adds a received piece to its frame.
func (s *stream) take(kind byte, number uint64, data []byte) {
	s.received++
	if number != s.received || len(s.partial)+len(data) > maxFrame+frameHead {
		s.fail(errGap)
		return
	}
	if kind == messagePart {
		s.partial = append(s.partial, data...)
		s.credit(1)
		return
	}
	if s.partial != nil {
		data = append(s.partial, data...)
		s.partial = nil
	}
	if len(data) == 0 {
		s.fail(errGap)
		return
	}
	select {
	case s.incoming <- frame{frameKind(data[0]), data[1:]}: // does not block, because of the window
	case <-s.done:
	}
}

// fail ends the stream. Only the first call has an effect.
func (s *stream) fail(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return
	}
	s.err = why
	s.queue = nil
	close(s.done)
}

// close ends the stream and tells the other side.
func (s *stream) close() {
	s.fail(errClosed)
	_ = s.publish(messageClose, 0, nil) // an error means that the connection is closed
	_ = s.sub.Unsubscribe()
}

// cause returns the reason why the stream has ended.
func (s *stream) cause() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}
