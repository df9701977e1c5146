package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/toolscript/toolscript"
)

// refused is the error that an answer holds.
func (c *Client) refused(resp *http.Response, body []byte) error {
	var e errorBody
	if err := json.Unmarshal(body, &e); err != nil || e.Error == "" || e.Kind == "" {
		return c.stranger(fmt.Errorf("it answered HTTP %d", resp.StatusCode))
	}
	seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After")) // 0 when absent
	return &toolscript.Error{
		Kind:       e.Kind,
		Server:     e.Server,
		Tool:       e.Tool,
		Err:        errors.New(e.Error),
		Details:    e.Details,
		RPCCode:    e.RPCCode,
		RetryAfter: time.Duration(seconds) * time.Second,
	}
}

// errNotGateway is what is wrong with JSON of another shape.
var errNotGateway = errors.New("its answer is not a gateway's")

// stranger is the error of talking to something that is not this gateway.
func (c *Client) stranger(why error) error {
	return &toolscript.Error{
		Kind: toolscript.Unavailable,
		Err:  fmt.Errorf("no toolscript gateway at %s: %w; see: toolscript gateway status", c.host, why),
	}
}

// unreachable is the error of a request that got no answer.
func (c *Client) unreachable(ctx context.Context, err error) error {
	if ended := toolscript.ContextError(ctx); ended != nil {
		return ended
	}
	return &toolscript.Error{
		Kind: toolscript.Unavailable,
		Err:  fmt.Errorf("no gateway answers at %s (%w); see: toolscript gateway status", c.host, reason(err)),
	}
}

// broken is the error of an answer that stops in the middle.
func (c *Client) broken(ctx context.Context, err error) error {
	if ended := toolscript.ContextError(ctx); ended != nil {
		return ended
	}
	return &toolscript.Error{
		Kind: toolscript.Unavailable,
		Err:  fmt.Errorf("the gateway at %s broke off its answer (%w); see: toolscript gateway status", c.host, reason(err)),
	}
}

// reason strips an error of net/http of the URL, which holds the capability,
// and of the address, which the message has already.
func reason(err error) error {
	var request *url.Error
	if errors.As(err, &request) {
		err = request.Err
	}
	var operation *net.OpError
	if errors.As(err, &operation) {
		err = operation.Err
	}
	return err
}
