package api

import (
	"context"
	"net/http"

	"github.com/toolscript/toolscript"
)

// Exec runs a script and calls emit with each event, in order. It returns when the run
// has ended. An error of emit, or the end of ctx, ends the run and is returned. Exec
// fails if the run could not begin, and if the gateway closes the stream before the last
// event.
func (c *Client) Exec(ctx context.Context, req toolscript.ExecRequest, emit func(toolscript.Event) error) error {
	body, err := encodeBody(c.ofProfile(req))
	if err != nil {
		return err
	}
	return c.stream(ctx, http.MethodPost, "/exec", body, events(emit))
}

// events returns a function for stream that passes the events of a run to emit.
func events(emit func(toolscript.Event) error) func([]byte) (bool, error) {
	return func(text []byte) (last bool, err error) {
		e, err := decodeEvent(text)
		if err != nil {
			return false, errNotGateway
		}
		return e.Type == toolscript.EventEnd, emit(completed(e))
	}
}
