package api

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

// refused returns the error that an answer contains.
func (c *Client) refused(resp *http.Response, body []byte) error {
	var e errorBody
	if err := json.Unmarshal(body, &e); err != nil || e.Error == "" || e.Kind == "" {
		return c.notGateway(fmt.Errorf("it answered HTTP %d", resp.StatusCode))
	}
	seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After")) // 0 if absent
	return &toolscript.Error{
		Kind:       e.Kind,
		Server:     e.Server,
		Tool:       e.Tool,
		Err:        errors.New(e.Error),
		Details:    e.Details,
		RPCCode:    e.RPCCode,
		Sent:       e.Sent,
		RetryAfter: time.Duration(seconds) * time.Second,
	}
}

// errNotGateway is the error for JSON that a gateway does not send.
var errNotGateway = errors.New("its answer is not that of a gateway")

// seeStatus is the next command after an error of an address.
const seeStatus = "see: toolscript gateway status"

// notGateway returns the error for an answer that does not come from a gateway.
func (c *Client) notGateway(why error) error {
	return &toolscript.Error{
		Kind: toolscript.Unavailable, Sent: toolscript.SentUnknown,
		Err: fmt.Errorf("no toolscript gateway at %s: %w", c.host, why), Next: seeStatus,
	}
}

// unreachable returns the error for a request without an answer.
func (c *Client) unreachable(ctx context.Context, err error) error {
	if ended := toolscript.ContextError(ctx); ended != nil {
		return ended
	}
	sent := toolscript.SentUnknown
	if op := (*net.OpError)(nil); errors.As(err, &op) && op.Op == "dial" {
		sent = toolscript.SentNo
	}
	return &toolscript.Error{
		Kind: toolscript.Unavailable, Sent: sent,
		Err: fmt.Errorf("no gateway answers at %s (%w)", c.host, reason(err)), Next: seeStatus,
	}
}

// broken returns the error for an incomplete answer.
func (c *Client) broken(ctx context.Context, err error) error {
	if ended := toolscript.ContextError(ctx); ended != nil {
		return ended
	}
	return &toolscript.Error{
		Kind: toolscript.Unavailable, Sent: toolscript.SentUnknown,
		Err: fmt.Errorf("the gateway at %s did not complete its answer (%w)", c.host, reason(err)), Next: seeStatus,
	}
}

// reason removes the address and the URL, which contains the capability, from an error of
// net/http.
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
