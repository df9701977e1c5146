package api

import (
	"bytes"
	"context"
	"net/http"
	"net/url"

	"github.com/toolscript/toolscript"
)

// Detach starts a run that goes on when this client has left, and returns its id.
func (c *Client) Detach(ctx context.Context, req toolscript.ExecRequest) (string, error) {
	run, err := post[DetachedRun](ctx, c, "/runs", c.ofProfile(req))
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
	return c.stream(ctx, http.MethodGet, path+"?wait=true", nil, events(emit))
}

// completed restores the member ok of an End, which an event carries only once, in Event.OK.
func completed(e toolscript.Event) toolscript.Event {
	if e.End != nil {
		e.End.OK = e.OK != nil && *e.OK
	}
	return e
}
