package api

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/toolscript/toolscript"
)

// Exec runs a script and calls emit with each event, in order. It returns when the run
// has ended. An error of emit, or the end of ctx, ends the run and is returned. Exec
// fails if the run could not begin, and if the gateway closes the stream before the last
// event.
func (c *Client) Exec(ctx context.Context, req toolscript.ExecRequest, emit func(toolscript.Event) error) error {
	body, err := json.Marshal(c.ofProfile(req))
	if err != nil {
		return invalid("the request cannot be encoded: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // the gateway ends the run with the connection
	resp, err := c.open(ctx, http.MethodPost, "/exec", mediaJSON, body)
	if err != nil {
		return err
	}
	defer closeBody(resp)
	return c.events(ctx, resp.Body, emit)
}

// events reads events up to the last event of a run. Blank lines are heartbeats.
func (c *Client) events(ctx context.Context, stream io.Reader, emit func(toolscript.Event) error) error {
	in := bufio.NewReaderSize(stream, 64<<10)
	for {
		text, err := in.ReadBytes('\n')
		if err == nil && len(text) == 1 {
			continue
		}
		var e toolscript.Event
		if err == nil {
			e, err = decodeEvent(text)
		}
		if err != nil {
			return c.cutShort(ctx, err)
		}
		if err := emit(completed(e)); err != nil {
			return err
		}
		if e.Type == toolscript.EventEnd {
			return nil
		}
	}
}
