package api

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/toolscript/toolscript"
)

// Detach starts a run that goes on when this client has left, and returns its id.
func (c *Client) Detach(ctx context.Context, req toolscript.ExecRequest) (string, error) {
	body, err := json.Marshal(c.ofProfile(req))
	if err != nil {
		return "", invalid("the request cannot be encoded: %w", err)
	}
	run, err := ask[DetachedRun](ctx, c, http.MethodPost, "/runs", body)
	return run.RunID, err
}

// RunEvents calls emit with the events of a detached run from its start, in order. With
// wait it returns after the last event or an error of emit, else after the events so far.
func (c *Client) RunEvents(ctx context.Context, id string, wait bool, emit func(toolscript.Event) error) error {
	path := "/runs/" + url.PathEscape(id) + "/events"
	if !wait {
		text, err := c.ask(ctx, http.MethodGet, path, nil)
		for line := range bytes.Lines(text) {
			e, wrong := decodeEvent(line)
			if wrong != nil {
				return wrong
			}
			if err := emit(completed(e)); err != nil {
				return err
			}
		}
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	resp, err := c.open(ctx, http.MethodGet, path+"?wait=true", "", nil)
	if err != nil {
		return err
	}
	defer closeBody(resp)
	return c.events(ctx, resp.Body, emit)
}

// completed restores the member ok of an End, which an event carries only once, in Event.OK.
func completed(e toolscript.Event) toolscript.Event {
	if e.End != nil {
		e.End.OK = e.OK != nil && *e.OK
	}
	return e
}
