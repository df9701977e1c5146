package api

import (
	"context"
	"net/http"
	"net/url"

	"github.com/toolscript/toolscript"
)

// Runs returns the last runs, the newest first.
func (c *Client) Runs(ctx context.Context) ([]toolscript.RunRecord, error) {
	return get[[]toolscript.RunRecord](ctx, c, "/runs")
}

// Run returns the record of one run.
func (c *Client) Run(ctx context.Context, id string) (toolscript.RunRecord, error) {
	return get[toolscript.RunRecord](ctx, c, "/runs/"+url.PathEscape(id))
}

// RunOutput returns the stored output of a run that exceeded a limit.
func (c *Client) RunOutput(ctx context.Context, id string, q toolscript.OutputQuery) ([]byte, error) {
	part := "output"
	if q.Value {
		part = "value"
	}
	if q.Task != "" {
		part = "task"
	}
	query := url.Values{"call": {q.Task}, "part": {part}, "range": {q.Range()}}
	return c.ask(ctx, http.MethodGet, "/runs/"+url.PathEscape(id)+"/output?"+query.Encode(), nil)
}

// AbortRun ends a run, or the tasks that an ended run has left.
func (c *Client) AbortRun(ctx context.Context, id string) error {
	_, err := c.ask(ctx, http.MethodDelete, "/runs/"+url.PathEscape(id), nil)
	return err
}

// ReplyRun answers an open question of a server to the run.
func (c *Client) ReplyRun(ctx context.Context, id string, answer toolscript.Answer) error {
	return c.tell(ctx, "/runs/"+url.PathEscape(id)+"/reply", answer)
}

// stdinPiece is the maximum length of the data in one request.
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
