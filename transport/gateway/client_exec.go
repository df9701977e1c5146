package gateway

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/rawjson"
)

// Exec runs a script and calls emit with each event, in order. It returns when the run
// has ended. An error of emit, or the end of ctx, ends the run and is returned. Exec
// fails if the run could not begin, and if the gateway closes the stream before the last
// event.
func (c *Client) Exec(ctx context.Context, req toolscript.ExecRequest, emit func(toolscript.Event) error) error {
	body, err := json.Marshal(req)
	if err != nil {
		return invalid("the request cannot be encoded: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // the gateway ends the run with the connection
	resp, err := c.send(ctx, http.MethodPost, "/exec", mediaJSON, body)
	if err != nil {
		return err
	}
	defer closeBody(resp)
	if resp.StatusCode != http.StatusOK {
		answer, _ := io.ReadAll(resp.Body) // as much as there is
		return c.refused(resp, answer)
	}
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
		if e.End != nil {
			e.End.OK = e.OK != nil && *e.OK // the wire has ok only once
		}
		if err := emit(e); err != nil {
			return err
		}
		if e.Type == toolscript.EventEnd {
			return nil
		}
	}
}

// manyBytes is the length from which a line is decoded without a copy of its value.
const manyBytes = 64 << 10

// decodeEvent decodes one line. The value of a run may be a part of text.
func decodeEvent(text []byte) (e toolscript.Event, err error) {
	if len(text) < manyBytes || !rawjson.Valid(text) {
		return e, json.Unmarshal(text, &e)
	}
	var value json.RawMessage
	rest := []byte("{")
	rawjson.Object(text, func(name string, member json.RawMessage) {
		if name == "value" {
			value = member
			return
		}
		if len(rest) > 1 {
			rest = append(rest, ',')
		}
		rest = fmt.Appendf(rest, "%q:%s", name, member)
	})
	err = json.Unmarshal(append(rest, '}'), &e)
	if e.End != nil {
		e.Value = value
	}
	return e, err
}

// cutShort is the error of a stream without a last event.
func (c *Client) cutShort(ctx context.Context, err error) error {
	var syntax *json.SyntaxError
	var mistyped *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax), errors.As(err, &mistyped):
		return c.notGateway(errNotGateway)
	default:
		return c.broken(ctx, err)
	}
}

// ReplyRun answers an open question of a run.
func (c *Client) ReplyRun(ctx context.Context, id string, answer toolscript.Answer) error {
	body, err := json.Marshal(answer)
	if err != nil {
		return invalid("the answer cannot be encoded: %w", err)
	}
	_, err = c.ask(ctx, http.MethodPost, "/runs/"+url.PathEscape(id)+"/reply", body)
	return err
}

// stdinPiece bounds the data of one request.
const stdinPiece = 1 << 20

// GiveStdin sends standard input to a run that asked for it, in as many requests as
// necessary.
func (c *Client) GiveStdin(ctx context.Context, id string, piece toolscript.StdinPiece) error {
	for {
		part := piece.Data[:min(len(piece.Data), stdinPiece)]
		piece.Data = piece.Data[len(part):]
		last := len(piece.Data) == 0
		query := url.Values{}
		if last && piece.EOF {
			query.Set("eof", "true")
		}
		if last && piece.Error != "" {
			query.Set("error", piece.Error)
		}
		path := "/runs/" + url.PathEscape(id) + "/stdin?" + query.Encode()
		if _, err := c.askAs(ctx, http.MethodPost, path, mediaBytes, part); err != nil || last {
			return err
		}
	}
}
