package api

import (
	"bufio"
	"cmp"
	"net/http"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/rescue"
)

// exec answers POST /exec with a stream of events, one per line, or with an error if the
// run does not begin.
func (s *Server) exec(x *exchange) error {
	req, err := parseExec(x.body, x.client())
	if err != nil {
		return err
	}
	req.Trace = x.trace()
	return newStream(x).answer(func(st *stream) error { return s.backend.Exec(x.ctx, req, st.emit) })
}

// stream sends the events of one run to its client, one JSON object per line. Blank
// lines are heartbeats.
type stream struct {
	x     *exchange
	lines chan line     // from emit to copy, an empty one after the last; if the channel is full, the run waits for the client
	left  chan struct{} // closed when no more lines are read
	ended chan struct{} // closed when the Backend has returned

	err error           // the result of the Backend; read after the empty line, or after ended is closed
	id  string          // id of the run; used by emit
	end *toolscript.End // set by emit; read under the same condition as err
}

// linesAhead is the number of events that a run may be ahead of its client. Without this
// buffer, each event would wait for a write to the network.
const linesAhead = 16

var heartbeatLine = line{text: []byte("\n")}

func newStream(x *exchange) *stream {
	return &stream{x: x, lines: make(chan line, linesAhead), left: make(chan struct{}), ended: make(chan struct{})}
}

// answer makes the events that produce emits the answer, or returns its error if it emits none.
func (st *stream) answer(produce func(*stream) error) error {
	go st.run(produce)
	first := <-st.lines
	if first.text == nil {
		return st.outcome()
	}
	st.send(first)
	return nil
}

// run calls produce, which emits the events.
func (st *stream) run(produce func(*stream) error) {
	defer close(st.ended)
	defer st.put(line{})
	defer rescue.Into(&st.err)
	st.err = produce(st)
}

// put adds a line, and waits while linesAhead lines are waiting. It reports whether the
// lines are still read.
func (st *stream) put(l line) bool {
	select {
	case st.lines <- l:
		return true
	case <-st.left:
		return false
	}
}

// emit sends one event.
func (st *stream) emit(e toolscript.Event) error {
	text, err := encodeEvent(e)
	if err != nil {
		return err
	}
	if e.Type == toolscript.EventStart {
		st.id = e.RunID
	}
	if e.Type == toolscript.EventEnd && e.End != nil {
		end := *e.End
		end.OK = e.OK != nil && *e.OK
		st.end = &end
	}
	select {
	case <-st.x.gone: // checked first, because a select with several ready cases takes any
		return errClientGone
	default:
	}
	if !st.put(text) {
		return errClientGone
	}
	return nil
}

// send makes the stream the answer. fasthttp calls copy on its own goroutine after the
// handler has returned.
func (st *stream) send(first line) {
	x := st.x
	x.streaming = true
	x.c.Set(fiber.HeaderContentType, mediaLines)
	x.c.Set(fiber.HeaderCacheControl, "no-store")
	x.c.Status(http.StatusOK)
	x.c.Context().SetBodyStreamWriter(func(w *bufio.Writer) { st.copy(w, first) })
}

// copy sends the whole stream and finishes the exchange.
func (st *stream) copy(w *bufio.Writer, first line) {
	defer rescue.Catch(st.x.panicked)
	fault := st.transfer(w, first)
	if fault != nil {
		st.x.cancel(fault)
	}
	close(st.left)
	<-st.ended
	st.x.run = st.id
	st.x.finish(http.StatusOK, cmp.Or(fault, st.outcome()))
}

// transfer writes lines until the run has ended or the client has closed the connection.
func (st *stream) transfer(w *bufio.Writer, next line) (fault error) {
	defer rescue.Into(&fault)
	heartbeat := time.NewTicker(st.x.server.heartbeat)
	defer heartbeat.Stop()
	for next.text != nil {
		if !st.write(w, next) {
			return nil
		}
		select {
		case next = <-st.lines:
		case <-heartbeat.C:
			next = heartbeatLine
		case <-st.x.gone:
			return nil
		case <-st.x.server.closed:
			return nil
		}
	}
	st.writeFault(w)
	if w.Flush() != nil {
		st.x.cancel(errClientGone)
	}
	return nil
}

// write writes one line, and flushes if no further line is waiting. If the client has
// closed the connection, write cancels the run and returns false.
func (st *stream) write(w *bufio.Writer, l line) bool {
	err := l.write(w)
	if err == nil && len(st.lines) == 0 {
		err = w.Flush()
	}
	if err != nil {
		st.x.cancel(errClientGone)
	}
	return err == nil
}
