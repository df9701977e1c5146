package api

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
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
	return c.receive(ctx, http.MethodGet, path, nil, q.After, emit)
}

// Watch calls emit with the announcements of the gateway's servers, as Backend.Watch does. It returns nil when the
// gateway stops.
func (c *Client) Watch(ctx context.Context, q toolscript.WatchQuery, emit func([]toolscript.Change) error) error {
	path := "/watch"
	if query := c.narrowed(url.Values{}); len(query) > 0 {
		path += "?" + query.Encode()
	}
	body, err := encodeBody(q)
	if err != nil {
		return err
	}
	return c.receive(ctx, http.MethodPost, path, body, "", func(e toolscript.LiveEvent) error {
		var change toolscript.Change
		if e.Type != toolscript.WatchEvent {
			return nil
		}
		if err := json.Unmarshal(e.Data, &change); err != nil {
			return err
		}
		return emit([]toolscript.Change{change})
	})
}

// receive makes a request whose answer is a stream of events.
func (c *Client) receive(ctx context.Context, method, path string, body []byte, after string, emit func(toolscript.LiveEvent) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(silenceTime, func() {
		cancel(&toolscript.Error{Kind: toolscript.Timeout, Err: fmt.Errorf("the gateway at %s has sent nothing for %s: it is suspended or the machine is very busy", c.host, silenceTime)})
	})
	defer silence.Stop()
	resp, err := c.open(ctx, method, path, mediaJSON, body, lastEventID, after)
	if err != nil {
		return err
	}
	defer closeBody(resp)
	return c.readEvents(ctx, resp.Body, silence, emit)
}

// silenceTime is several heartbeats of a gateway. The stream ends if nothing arrives for
// that long; the time spent in emit does not count.
const silenceTime = 30 * time.Second

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
