package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"

	"github.com/toolscript/toolscript"
)

// Exec runs a script and calls emit with each event, in order, as it happens.
// It returns when the run has ended. An error of emit, or the end of ctx, ends
// the run and is returned. Like Backend.Exec it fails when the run could not
// begin; it fails too when the gateway breaks off before the last event.
func (c *Client) Exec(ctx context.Context, req toolscript.ExecRequest, emit func(toolscript.Event) error) error {
	body, err := json.Marshal(req)
	if err != nil {
		return invalid("the request cannot be encoded: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // the gateway ends the run when the connection is gone
	resp, err := c.send(ctx, http.MethodPost, "/exec", body)
	if err != nil {
		return err
	}
	defer closeBody(resp)
	if resp.StatusCode != http.StatusOK {
		answer, _ := io.ReadAll(resp.Body) // what there is of it
		return c.refused(resp, answer)
	}
	return c.events(ctx, resp.Body, emit)
}

// events reads events up to the last one of a run. Blank lines between them
// are the gateway's heartbeat, and white space to the decoder.
func (c *Client) events(ctx context.Context, stream io.Reader, emit func(toolscript.Event) error) error {
	dec := json.NewDecoder(stream)
	for {
		var e toolscript.Event
		if err := dec.Decode(&e); err != nil {
			return c.cutShort(ctx, err)
		}
		if e.End != nil {
			e.End.OK = e.OK != nil && *e.OK // which the wire has once
		}
		if err := emit(e); err != nil {
			return err
		}
		if e.Type == toolscript.EventEnd {
			return nil
		}
	}
}

// cutShort is the error of a stream without a last event.
func (c *Client) cutShort(ctx context.Context, err error) error {
	var syntax *json.SyntaxError
	var mistyped *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax), errors.As(err, &mistyped):
		return c.stranger(errNotGateway)
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
	_, _, err = c.ask(ctx, http.MethodPost, "/runs/"+url.PathEscape(id)+"/reply", body)
	return err
}

// stdinPiece keeps a request with standard input, in base64, far below the
// gateway's limit of a body.
const stdinPiece = 1 << 20

// GiveStdin passes standard input to a run that asked for it, in as many
// requests as it takes.
func (c *Client) GiveStdin(ctx context.Context, id string, piece toolscript.StdinPiece) error {
	for {
		part := piece.Data[:min(len(piece.Data), stdinPiece)]
		piece.Data = piece.Data[len(part):]
		last := len(piece.Data) == 0
		next := toolscript.StdinPiece{Data: part}
		if last {
			next.EOF, next.Error = piece.EOF, piece.Error
		}
		body, err := json.Marshal(next)
		if err != nil {
			return invalid("standard input cannot be encoded: %w", err)
		}
		if _, _, err := c.ask(ctx, http.MethodPost, "/runs/"+url.PathEscape(id)+"/stdin", body); err != nil || last {
			return err
		}
	}
}
