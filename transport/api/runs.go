package api

import (
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/toolscript/toolscript"
)

// runs answers GET /runs.
func (s *Server) runs(x *exchange) error {
	runs, err := s.backend.Runs(x.ctx)
	if err != nil {
		return err
	}
	for i := range runs {
		runs[i].Calls = orEmpty(runs[i].Calls)
	}
	return x.answer(http.StatusOK, orEmpty(runs))
}

// run answers GET /runs/:id.
func (s *Server) run(x *exchange) error {
	if err := x.aboutRun(); err != nil {
		return err
	}
	run, err := s.backend.Run(x.ctx, x.run)
	if err != nil {
		return err
	}
	run.Calls = orEmpty(run.Calls)
	return x.answer(http.StatusOK, run)
}

// runOutput answers GET /runs/:id/output with a range of the stored output, of the stored
// value, or of the output of a task.
func (s *Server) runOutput(x *exchange) error {
	if err := x.aboutRun(); err != nil {
		return err
	}
	var q toolscript.OutputQuery
	switch part := x.query.Get("part"); part {
	case "", "output":
	case "value":
		q.Value = true
	case "task":
		q.Task = x.query.Get("call")
	default:
		return invalid("parameter %q must be output, value or task, not %.50q", "part", part)
	}
	if err := q.ParseRange(x.query.Get("range")); err != nil {
		return err
	}
	kept, err := s.backend.RunOutput(x.ctx, x.run, q)
	if err != nil {
		return err
	}
	x.c.Set(fiber.HeaderContentType, fiber.MIMETextPlainCharsetUTF8)
	return x.c.Send(kept)
}

// abortRun answers DELETE /runs/:id.
func (s *Server) abortRun(x *exchange) error {
	if err := x.aboutRun(); err != nil {
		return err
	}
	if err := s.backend.AbortRun(x.ctx, x.run); err != nil {
		return err
	}
	x.c.Status(http.StatusNoContent)
	return nil
}

// replyRun answers POST /runs/:id/reply.
func (s *Server) replyRun(x *exchange) error {
	if err := x.aboutRun(); err != nil {
		return err
	}
	var answer toolscript.Answer
	if err := decode(x.body, &answer); err != nil {
		return err
	}
	if err := s.backend.ReplyRun(x.ctx, x.run, answer); err != nil {
		return err
	}
	x.c.Status(http.StatusNoContent)
	return nil
}

// giveStdin answers POST /runs/:id/stdin. The body is a toolscript.StdinPiece in JSON, or
// its data as bytes, with the other members in the query.
func (s *Server) giveStdin(x *exchange) error {
	if err := x.aboutRun(); err != nil {
		return err
	}
	var piece toolscript.StdinPiece
	if strings.HasPrefix(x.c.Get(fiber.HeaderContentType), fiber.MIMEOctetStream) {
		eof, err := x.flag("eof")
		if err != nil {
			return err
		}
		piece = toolscript.StdinPiece{Data: x.body, EOF: eof, Error: x.query.Get("error")}
	} else if err := decode(x.body, &piece); err != nil {
		return err
	}
	if err := s.backend.GiveStdin(x.ctx, x.run, piece); err != nil {
		return err
	}
	x.c.Status(http.StatusNoContent)
	return nil
}

// aboutRun records the run that the path names.
func (x *exchange) aboutRun() (err error) {
	x.run, err = x.param("id")
	return err
}
