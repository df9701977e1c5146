package api

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/toolscript/toolscript"
)

// search answers GET /search.
func (s *Server) search(x *exchange) error {
	q := toolscript.SearchQuery{
		Text: strings.TrimSpace(x.query.Get("q")), Servers: toolscript.ParseFilter(x.query.Get("server")), Allow: x.allow,
	}
	if q.Text == "" {
		return invalid("Query parameter 'q' is required")
	}
	var err error
	if q.Limit, err = x.limit(); err != nil {
		return err
	}
	if q.Threshold, err = x.threshold(); err != nil {
		return err
	}
	if q.ReadOnly, err = x.flag("readOnly"); err != nil {
		return err
	}
	if q.Types, err = x.flag("types"); err != nil {
		return err
	}
	answer, err := s.backend.Search(x.ctx, q)
	if err != nil {
		return err
	}
	answer.Results = orEmpty(answer.Results)
	return x.answer(http.StatusOK, answer)
}

// limit returns the parameter limit, or 0 if it is absent. The Backend knows the maximum.
func (x *exchange) limit() (int, error) {
	if !x.query.Has("limit") {
		return 0, nil
	}
	n, err := strconv.Atoi(x.query.Get("limit"))
	if err != nil || n < 1 {
		return 0, invalid(`parameter "limit" must be a whole number from 1 up, not %.50q`, x.query.Get("limit"))
	}
	return n, nil
}

func (x *exchange) threshold() (*float64, error) {
	if !x.query.Has("threshold") {
		return nil, nil
	}
	t, err := strconv.ParseFloat(x.query.Get("threshold"), 64)
	if err != nil {
		return nil, invalid(`parameter "threshold" must be a number from 0 to 1, not %.50q`, x.query.Get("threshold"))
	}
	return &t, nil
}

// searchStats answers GET /search/stats.
func (s *Server) searchStats(x *exchange) error {
	stats, err := s.backend.SearchStats(x.ctx)
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, stats)
}

// describe answers GET /tools/:id.
func (s *Server) describe(x *exchange) error {
	id, err := x.param("id")
	if err != nil {
		return err
	}
	x.tool = id
	fresh, err := x.flag("fresh")
	if err != nil {
		return err
	}
	describe := x.direct().Describe
	if fresh {
		describe = x.direct().Refresh
	}
	tool, err := describe(x.ctx, id)
	if x.caller != "" && x.allow != nil && err != nil {
		return unknownToRun(id) // the run must not learn whether the tool exists
	}
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, tool)
}

func unknownToRun(id string) error {
	return &toolscript.Error{Kind: toolscript.Forbidden, Err: fmt.Errorf("%.200q is not among the tools this run may call", id)}
}
