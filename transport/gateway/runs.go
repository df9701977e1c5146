package gateway

import "net/http"

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

// giveStdin answers POST /runs/:id/stdin.
func (s *Server) giveStdin(x *exchange) error {
	if err := x.aboutRun(); err != nil {
		return err
	}
	var body stdinBody
	if err := decode(x.c.Request().Body(), &body); err != nil {
		return err
	}
	if err := s.backend.GiveStdin(x.ctx, x.run, body.Data, body.EOF); err != nil {
		return err
	}
	x.c.Status(http.StatusNoContent)
	return nil
}

// aboutRun notes the run that the path names.
func (x *exchange) aboutRun() (err error) {
	x.run, err = x.param("id")
	return err
}
