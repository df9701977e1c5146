package api

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/toolscript/toolscript"
)

// Events calls emit with the events of the gateway, in order: see toolscript.LiveType. It
// returns nil after the gateway has ended the stream with a notice, or else the error of
// emit, of ctx, or of the connection. A reader that reconnects sets q.After to the last
// event id that it received.
func (c *Client) Events(ctx context.Context, q toolscript.LiveQuery, emit func(toolscript.LiveEvent) error) error {
	path := "/events"
	if q.Arguments {
		path += "?arguments=true"
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(silenceTime, func() {
		cancel(&toolscript.Error{Kind: toolscript.Timeout, Err: fmt.Errorf("the gateway at %s has sent nothing for %s: it is suspended or the machine is very busy", c.host, silenceTime)})
	})
	defer silence.Stop()
	resp, err := c.openFrom(ctx, path, q.After)
	if err != nil {
		return err
	}
	defer closeBody(resp)
	return c.readEvents(ctx, resp.Body, silence, emit)
}

// silenceTime is several heartbeats of a gateway. The stream ends if nothing arrives for
// that long; the time spent in emit does not count.
const silenceTime = 30 * time.Second

// openFrom opens the stream of events; after is the last event id of a reader that reconnects.
func (c *Client) openFrom(ctx context.Context, path, after string) (*http.Response, error) {
	if c.err != nil {
		return nil, c.err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+path, nil)
	if err != nil {
		return nil, invalid("the request cannot be made: %w", reason(err))
	}
	if after != "" {
		req.Header.Set(lastEventID, after)
	}
	resp, err := c.http.Do(req) //nolint:gosec // the user chooses the gateway
	switch {
	case err != nil:
		return nil, c.unreachable(ctx, err)
	case resp.StatusCode == http.StatusOK:
		return resp, nil
	}
	defer closeBody(resp)
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, c.broken(ctx, err)
	}
	return nil, c.refused(resp, answer)
}

// readEvents reads server-sent events in the form that this gateway sends: each field has
// one line, and each event has one line of data.
func (c *Client) readEvents(ctx context.Context, stream io.Reader, silence *time.Timer, emit func(toolscript.LiveEvent) error) error {
	in := bufio.NewReaderSize(stream, 64<<10)
	var e toolscript.LiveEvent
	for {
		silence.Reset(silenceTime)
		text, err := in.ReadBytes('\n')
		silence.Stop()
		if err != nil {
			return c.broken(ctx, err)
		}
		text = bytes.TrimRight(text, "\r\n")
		name, value, _ := bytes.Cut(text, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "id":
			e.ID = string(value)
		case "event":
			e.Type = toolscript.LiveType(value)
		case "data":
			e.Data = value
		}
		if len(text) > 0 || e.Data == nil { // the event goes on, or a comment has ended
			continue
		}
		if err := emit(e); err != nil {
			return err
		}
		if e.Type == toolscript.LiveNotice {
			return nil
		}
		e = toolscript.LiveEvent{}
	}
}
