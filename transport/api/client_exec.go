package api

import (
	"bufio"
	"context"
	"errors"
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

// stream makes a request whose answer has one JSON object per line, and passes the lines to take until one is the last.
// Blank lines are heartbeats. The gateway ends the run with the connection. take returns errNotGateway for a line that
// it cannot read; stream returns its other errors unchanged.
func (c *Client) stream(ctx context.Context, method, path string, body []byte, take func(line []byte) (last bool, err error)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	resp, err := c.open(ctx, method, path, mediaJSON, body)
	if err != nil {
		return err
	}
	defer closeBody(resp)
	in := bufio.NewReaderSize(resp.Body, 64<<10)
	for last := false; !last; {
		line, err := in.ReadBytes('\n')
		switch {
		case err != nil:
			return c.broken(ctx, err)
		case len(line) == 1:
			continue
		}
		if last, err = take(line); errors.Is(err, errNotGateway) {
			return c.notGateway(err)
		} else if err != nil {
			return err
		}
	}
	return nil
}
