package api

import (
	"bufio"
	"bytes"
	"cmp"
	"net/http"

	"github.com/gofiber/fiber/v2"

	"github.com/toolscript/toolscript/internal/rescue"
)

// MCPPath is the path of the MCP server, relative to the capability URL.
const MCPPath = "/mcp"

// mcp answers a request for the MCP server of the Options. If the handler flushes, its
// answer is a stream; otherwise the answer is sent as a whole.
func (s *Server) mcp(x *exchange) error {
	if s.agents == nil {
		return errNoRoute
	}
	r, err := x.request()
	if err != nil {
		return err
	}
	a := &handled{
		x: x, header: http.Header{}, status: http.StatusOK,
		begun: make(chan struct{}), chunks: make(chan []byte), left: make(chan struct{}), ended: make(chan struct{}),
	}
	go a.serve(s.agents, r)
	select {
	case <-a.begun:
		a.describe()
		x.streaming = true
		x.c.Response().ImmediateHeaderFlush = true // a client waits for the header before the first message
		x.c.Context().SetBodyStreamWriter(a.copy)
		return nil
	case <-a.ended:
	}
	if a.fault != nil {
		return a.fault
	}
	a.describe()
	return x.c.Send(a.buffer.Bytes())
}

// request returns the request for net/http, without the capability. It refers to no memory
// of fiber.
func (x *exchange) request() (*http.Request, error) {
	r, err := http.NewRequestWithContext(x.ctx, x.method, x.server.BaseURL()+MCPPath+x.profileOf(), bytes.NewReader(x.body))
	if err != nil {
		return nil, err
	}
	x.c.Request().Header.VisitAll(func(name, value []byte) {
		if key := http.CanonicalHeaderKey(string(name)); key != fiber.HeaderAuthorization {
			r.Header.Add(key, string(value))
		}
	})
	return r, nil
}

// handled is the answer of a net/http handler. Until the handler has ended, only the
// handler uses header, status and buffer, except that they are read after begun is closed.
type handled struct {
	x      *exchange
	header http.Header
	status int
	buffer bytes.Buffer // written since the last Flush

	begun  chan struct{} // closed at the first Flush: header and status stay as they are
	chunks chan []byte   // from Flush to copy
	left   chan struct{} // closed when no more chunks are read
	ended  chan struct{} // closed when the handler has returned; not before the first chunk is read
	fault  error         // a panic of the handler; read after ended is closed
	opened bool          // begun is closed
}

func (a *handled) serve(h http.Handler, r *http.Request) {
	defer close(a.ended)
	defer rescue.Into(&a.fault)
	h.ServeHTTP(a, r)
	if a.opened {
		a.Flush()
	}
}

// Header implements http.ResponseWriter.
func (a *handled) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *handled) WriteHeader(status int) {
	if !a.opened {
		a.status = status
	}
}

// Write implements http.ResponseWriter.
func (a *handled) Write(p []byte) (int, error) {
	select {
	case <-a.left:
		return 0, errClientGone
	default:
		return a.buffer.Write(p)
	}
}

// Flush implements http.Flusher. It waits until the client has taken the previously flushed
// bytes.
func (a *handled) Flush() {
	if !a.opened {
		a.opened = true
		a.header = a.header.Clone()
		close(a.begun)
	}
	chunk := bytes.Clone(a.buffer.Bytes())
	a.buffer.Reset()
	select {
	case a.chunks <- chunk:
	case <-a.left:
	}
}

// describe sets status and header of the answer.
func (a *handled) describe() {
	for name, values := range a.header {
		a.x.c.Response().Header.Del(name) // the gateway may have set the header too
		for _, value := range values {
			a.x.c.Response().Header.Add(name, value)
		}
	}
	if a.header.Get(fiber.HeaderContentType) == "" {
		a.x.c.Response().Header.SetNoDefaultContentType(true)
	}
	a.x.c.Status(a.status)
}

// copy sends the chunks and finishes the exchange. fasthttp calls it on its own goroutine
// after the handler of fiber has returned.
func (a *handled) copy(w *bufio.Writer) {
	defer rescue.Catch(a.x.panicked)
	var fault error
	for open := true; open; {
		select {
		case chunk := <-a.chunks:
			_, err := w.Write(chunk)
			if err == nil {
				err = w.Flush()
			}
			if err != nil {
				fault, open = errClientGone, false
			}
		case <-a.ended:
			open = false
		case <-a.x.gone:
			fault, open = errClientGone, false
		case <-a.x.server.closed:
			fault, open = errShuttingDown, false
		}
	}
	if fault != nil {
		a.x.cancel(fault)
	}
	close(a.left)
	<-a.ended
	a.x.finish(a.status, cmp.Or(fault, a.fault))
}
