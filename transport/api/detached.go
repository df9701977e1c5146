package api

import (
	"bytes"
	"cmp"
	"net/http"

	"github.com/gofiber/fiber/v2"

	"github.com/toolscript/toolscript"
)

// mediaLines is the media type of events, one JSON object per line.
const mediaLines = "application/x-ndjson"

// DetachedRun is the answer of POST /runs.
type DetachedRun struct {
	RunID string `json:"runId"`
}

// detach answers POST /runs with the id of a run that goes on without its client.
func (s *Server) detach(x *exchange) error {
	req, err := parseExec(x.body, x.client())
	if err != nil {
		return err
	}
	req.Trace = x.trace()
	if x.run, err = s.backend.Detach(x.ctx, req); err != nil {
		return err
	}
	return x.answer(http.StatusCreated, DetachedRun{x.run})
}

// runEvents answers GET /runs/:id/events with the events of a detached run: those so far,
// or with wait a stream up to the last event.
func (s *Server) runEvents(x *exchange) error {
	if err := x.aboutRun(); err != nil {
		return err
	}
	wait, err := x.flag("wait")
	if err != nil {
		return err
	}
	if !wait {
		return s.eventsSoFar(x)
	}
	id := x.run
	return newStream(x).answer(func(st *stream) error { return s.backend.RunEvents(x.ctx, id, true, st.emit) })
}

func (s *Server) eventsSoFar(x *exchange) error {
	var text bytes.Buffer
	err := s.backend.RunEvents(x.ctx, x.run, false, func(e toolscript.Event) error {
		line, err := encodeEvent(e)
		return cmp.Or(err, line.write(&text))
	})
	if err != nil {
		return err
	}
	x.c.Set(fiber.HeaderContentType, mediaLines)
	return x.c.Send(text.Bytes())
}
