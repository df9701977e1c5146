package api

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
)

// open makes a request as send does, and turns an answer with an error status into an error.
func (c *Client) open(ctx context.Context, method, path, media string, body []byte, header ...string) (*http.Response, error) {
	resp, err := c.send(ctx, method, path, media, body, header...)
	if err != nil || resp.StatusCode >= 200 && resp.StatusCode <= 299 {
		return resp, err
	}
	defer closeBody(resp)
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, c.broken(ctx, err)
	}
	return nil, c.refused(resp, answer)
}

// send makes a request. media is the media type of the body of a POST, and header has names and
// values, of which empty ones are left out. The caller closes the body of the answer.
func (c *Client) send(ctx context.Context, method, path, media string, body []byte, header ...string) (*http.Response, error) {
	if c.err != nil {
		return nil, c.err
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, invalid("the request cannot be made: %w", reason(err))
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", media)
	}
	for pair := range slices.Chunk(header, 2) {
		if pair[1] != "" {
			req.Header.Set(pair[0], pair[1])
		}
	}
	resp, err := c.http.Do(req) //nolint:gosec // the user chooses the gateway
	if err != nil {
		return nil, c.unreachable(ctx, err)
	}
	return resp, nil
}

func closeBody(resp *http.Response) {
	_ = resp.Body.Close() // it was read, or is not needed
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
