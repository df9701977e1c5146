package api

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
)

// get makes a GET request and decodes the JSON of the answer.
func get[T any](ctx context.Context, c *Client, path string) (T, error) {
	return ask[T](ctx, c, http.MethodGet, path, nil)
}

// ask makes a request, whose body is JSON, and decodes the JSON of the answer.
func ask[T any](ctx context.Context, c *Client, method, path string, body []byte) (T, error) {
	var v T
	answer, err := c.ask(ctx, method, path, body)
	if err != nil {
		return v, err
	}
	return v, c.parse(answer, &v)
}

// post makes a POST request, whose body is the JSON of v, and decodes the JSON of the answer.
func post[T any](ctx context.Context, c *Client, path string, v any) (T, error) {
	body, err := encodeBody(v)
	if err != nil {
		var none T
		return none, err
	}
	return ask[T](ctx, c, http.MethodPost, path, body)
}

// tell makes a POST request whose answer has no content.
func (c *Client) tell(ctx context.Context, path string, v any) error {
	body, err := encodeBody(v)
	if err == nil {
		_, err = c.ask(ctx, http.MethodPost, path, body)
	}
	return err
}

// encodeBody returns the body of a request.
func encodeBody(v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, invalid("the request cannot be encoded: %w", err)
	}
	return body, nil
}

// ask makes a request, whose body is JSON, and reads the whole answer.
func (c *Client) ask(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	return c.askAs(ctx, method, path, mediaJSON, body)
}

func (c *Client) askAs(ctx context.Context, method, path, media string, body []byte) ([]byte, error) {
	resp, err := c.open(ctx, method, path, media, body)
	if err != nil {
		return nil, err
	}
	defer closeBody(resp)
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, c.broken(ctx, err)
	}
	return answer, nil
}

func (c *Client) parse(body []byte, v any) error {
	if err := json.Unmarshal(body, v); err != nil {
		return c.notGateway(errNotGateway)
	}
	return nil
}
