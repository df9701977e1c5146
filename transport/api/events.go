package api

import (
	"bufio"
	"cmp"
	"errors"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/rescue"
)

// mediaEvents is the media type of server-sent events.
const mediaEvents = "text/event-stream"

// lastEventID is the header in which a reader that reconnects sends the last event id that it received.
const lastEventID = "Last-Event-ID"

// readerTime is how long a reader of events may read nothing before its connection is
// closed.
const readerTime = 30 * time.Second

// watcher sends the events of the gateway to one reader.
type watcher struct {
	x       *exchange
	conn    net.Conn
	batches chan []toolscript.LiveEvent // from emit to copy; closed after the last
	left    chan struct{}               // closed when no more events are read
	ended   chan struct{}               // closed when the Backend has returned
	err     error                       // the result of the Backend; read after ended is closed
}

// events answers GET /events with a stream, or with an error if the Backend emits no
// events.
func (s *Server) events(x *exchange) error {
	arguments, err := x.flag("arguments")
	if err != nil {
		return err
	}
	q := toolscript.LiveQuery{After: x.c.Get(lastEventID), Arguments: arguments}
	return x.sendEvents(func(emit func([]toolscript.LiveEvent) error) error { return s.backend.Events(x.ctx, q, emit) })
}

// sendEvents answers with a stream of the events that produce emits, or with its error if it emits none.
func (x *exchange) sendEvents(produce func(emit func([]toolscript.LiveEvent) error) error) error {
	w := &watcher{
		x: x, conn: x.c.Context().Conn(), batches: make(chan []toolscript.LiveEvent), left: make(chan struct{}), ended: make(chan struct{}),
	}
	go w.run(produce)
	first, ok := <-w.batches
	if !ok {
		<-w.ended
		if w.err == nil {
			return errNoEvents
		}
		return w.err
	}
	x.streaming = true
	x.c.Set(fiber.HeaderContentType, mediaEvents)
	x.c.Set(fiber.HeaderCacheControl, "no-store")
	x.c.Status(http.StatusOK)
	x.c.Context().SetBodyStreamWriter(func(out *bufio.Writer) { w.copy(out, first) })
	return nil
}

// errNoEvents is the error for a Backend that emits nothing.
var errNoEvents = &toolscript.Error{Kind: toolscript.Internal, Err: errors.New("the gateway has no events")}

func (w *watcher) run(produce func(emit func([]toolscript.LiveEvent) error) error) {
	defer close(w.ended)
	defer close(w.batches)
	defer rescue.Into(&w.err)
	w.err = produce(w.emit)
}

// emit waits until the reader has taken the previous events. Meanwhile the Backend collects
// the next ones.
func (w *watcher) emit(events []toolscript.LiveEvent) error {
	select {
	case w.batches <- events:
		return nil
	case <-w.left:
		return errClientGone
	}
}

// copy sends the stream and finishes the exchange. fasthttp calls it on its own goroutine
// after the handler has returned.
func (w *watcher) copy(out *bufio.Writer, first []toolscript.LiveEvent) {
	defer rescue.Catch(w.x.panicked)
	fault := w.transfer(out, first)
	if fault != nil {
		w.x.cancel(fault)
	}
	close(w.left)
	<-w.ended
	if errors.Is(w.err, errClientGone) {
		w.err = nil
	}
	w.x.finish(http.StatusOK, cmp.Or(fault, w.err))
}

// transfer writes events until there are no more, or until the reader has closed the connection.
func (w *watcher) transfer(out *bufio.Writer, next []toolscript.LiveEvent) (fault error) {
	defer rescue.Into(&fault)
	defer func() { _ = w.conn.SetWriteDeadline(time.Time{}) }() // only a closed connection refuses it
	heartbeat := time.NewTicker(w.x.server.heartbeat)
	defer heartbeat.Stop()
	noticed := false
	for ok := true; ok; {
		noticed = noticed || slices.ContainsFunc(next, func(e toolscript.LiveEvent) bool { return e.Type == toolscript.LiveNotice })
		_ = w.conn.SetWriteDeadline(time.Now().Add(readerTime)) // as above
		if err := writeEvents(out, next); err != nil {
			return errClientGone
		}
		select {
		case next, ok = <-w.batches:
		case <-heartbeat.C:
			next = nil
		case <-w.x.gone:
			return errClientGone
		case <-w.x.server.closed:
			ok = false
		}
	}
	if !noticed && w.x.server.ctx.Err() != nil {
		_ = writeEvents(out, []toolscript.LiveEvent{stopping()}) // on failure the reader sees the end of the stream
	}
	return nil
}

// stopping returns the last event of a gateway that ends.
func stopping() toolscript.LiveEvent {
	text, _ := toolscript.PlainJSON(toolscript.Notice{Reason: toolscript.NoticeStopping, Message: "the gateway is stopping"}) // strings always marshal
	return toolscript.LiveEvent{Type: toolscript.LiveNotice, Data: text}
}

// writeEvents writes events, or a comment if there are none, and flushes.
func writeEvents(out *bufio.Writer, events []toolscript.LiveEvent) error {
	if len(events) == 0 {
		_, _ = out.WriteString(":\n\n") // Flush returns its error
	}
	for _, e := range events {
		if e.ID != "" {
			_, _ = out.WriteString("id: " + e.ID + "\n")
		}
		_, _ = out.WriteString("event: " + string(e.Type) + "\ndata: ")
		_, _ = out.Write(e.Data) // JSON on one line
		_, _ = out.WriteString("\n\n")
	}
	return out.Flush()
}
