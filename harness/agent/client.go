package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/rawjson"
	"github.com/toolscript/toolscript/internal/redact"
	"github.com/toolscript/toolscript/internal/texts"
	"github.com/toolscript/toolscript/transport/egress"
)

// API is an API of language models. It defines the form of requests and answers.
type API string

// The APIs.
const (
	Responses API = "responses" // OpenAI: POST {URL}/responses
	Chat      API = "chat"      // OpenAI: POST {URL}/chat/completions
	Messages  API = "messages"  // Anthropic: POST {URL}/messages
)

// APIs returns the names of all APIs.
func APIs() []string { return []string{string(Responses), string(Chat), string(Messages)} }

// DefaultTokens is the maximum number of tokens of an answer if ClientOptions.MaxTokens is 0. The Messages
// API requires a limit.
const DefaultTokens = 8192

const (
	maxAnswer      = 16 << 20 // bytes of an answer
	maxReason      = 500      // bytes of the reason in a refusal
	shortestKey    = 3        // bytes of the shortest key that is removed from texts
	defaultTimeout = 5 * time.Minute
	maxRetryAfter  = 5 * time.Minute
)

// ClientOptions configure a Client.
type ClientOptions struct {
	API       API
	URL       string // URL of the API without its last part, such as https://host/v1
	Model     string
	Key       string            // API key, sent in the header that the API requires; "": no key is sent
	Headers   map[string]string // headers of every request
	MaxTokens int               // limit of an answer; 0: DefaultTokens
	Timeout   time.Duration     // time limit of one request; 0: 5 minutes
	Transport http.RoundTripper // nil: egress.NewTransport
}

// Client sends conversations to one endpoint and returns the answers. The endpoint may be any server that
// has one of the APIs. A Client is safe for concurrent use.
type Client struct {
	options ClientOptions
	url     string
	key     *redact.Secrets
	http    http.Client
}

// NewClient returns a Client. The error names the option that is not valid.
func NewClient(o ClientOptions) (*Client, error) {
	path, known := map[API]string{Responses: "responses", Chat: "chat/completions", Messages: "messages"}[o.API]
	if !known {
		return nil, fmt.Errorf("the API is %q; it must be one of %s", o.API, strings.Join(APIs(), ", "))
	}
	at, err := url.Parse(o.URL)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return nil, errors.New("the URL of a model's endpoint must begin with http:// or https://, and have a host")
	}
	if o.Model == "" {
		return nil, errors.New("the name of the model is missing")
	}
	if o.MaxTokens <= 0 {
		o.MaxTokens = DefaultTokens
	}
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.Transport == nil {
		o.Transport = egress.NewTransport()
	}
	return &Client{options: o, url: at.JoinPath(path).String(), key: redact.NewFrom(shortestKey, map[string]string{"[hidden]": o.Key}), http: http.Client{
		Transport: o.Transport, Timeout: o.Timeout,
		// A redirect could send the conversation and the key elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// API returns the API of the endpoint.
func (c *Client) API() API { return c.options.API }

// Send sends a conversation and returns the answer of the model. The error is a *toolscript.Error.
// Its kind is Unauthorized if the endpoint refuses the key, Invalid if it refuses the request,
// InvalidResult for an answer that does not have the form of the API, or NotFound, Busy,
// Unavailable, Timeout, Cancelled or TooLarge. RetryAfter of Busy and Unavailable is set if the
// endpoint has sent it. No error contains the key.
func (c *Client) Send(ctx context.Context, r Request) (Answer, error) {
	body, err := json.Marshal(c.body(r))
	if err != nil {
		return Answer{}, &toolscript.Error{Kind: toolscript.Invalid, Err: err}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return Answer{}, &toolscript.Error{Kind: toolscript.Invalid, Err: c.clean(err)}
	}
	c.authorize(request.Header)
	response, err := c.http.Do(request) //nolint:gosec // G704: the endpoint that the user configured
	if err != nil {
		return Answer{}, c.failed(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		return Answer{}, c.failed(ctx, err)
	case len(text) > maxAnswer:
		return Answer{}, &toolscript.Error{Kind: toolscript.TooLarge, Err: fmt.Errorf("the answer of the model has more than %d MB", maxAnswer>>20)}
	}
	text = rawjson.TrimMark(text)
	if response.StatusCode/100 != 2 {
		return Answer{}, c.refused(response, text)
	}
	answer, err := c.parse(text)
	if err != nil {
		return Answer{}, &toolscript.Error{Kind: toolscript.InvalidResult, Err: fmt.Errorf("the answer of the model does not fit the API %s: %w", c.options.API, c.clean(err))}
	}
	return answer, nil
}

func (c *Client) authorize(h http.Header) {
	h.Set("Content-Type", "application/json")
	switch {
	case c.options.API == Messages:
		h.Set("Anthropic-Version", "2023-06-01")
		if c.options.Key != "" {
			h.Set("X-Api-Key", c.options.Key)
		}
	case c.options.Key != "":
		h.Set("Authorization", "Bearer "+c.options.Key)
	}
	for name, value := range c.options.Headers {
		h.Set(name, value)
	}
}

// failed returns the error for a request that got no answer.
func (c *Client) failed(ctx context.Context, err error) error {
	if ended := toolscript.ContextError(ctx); ended != nil {
		return ended
	}
	var slow interface{ Timeout() bool }
	if errors.As(err, &slow) && slow.Timeout() {
		return &toolscript.Error{Kind: toolscript.Timeout, Err: fmt.Errorf("the model has not answered within %s", c.options.Timeout)}
	}
	return &toolscript.Error{Kind: toolscript.Unavailable, Err: fmt.Errorf("the model cannot be reached: %w", c.clean(err))}
}

// refused returns the error for an answer with a status other than 2xx.
func (c *Client) refused(r *http.Response, body []byte) error {
	e := &toolscript.Error{Kind: toolscript.Invalid, Permanent: true}
	switch status := r.StatusCode; {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		e.Kind = toolscript.Unauthorized
	case status == http.StatusNotFound:
		e.Kind = toolscript.NotFound
	case status == http.StatusRequestEntityTooLarge:
		e.Kind = toolscript.TooLarge
	case status == http.StatusTooManyRequests:
		e.Kind, e.Permanent = toolscript.Busy, false
	case status >= http.StatusInternalServerError: // 529 is Anthropic's "overloaded"
		e.Kind, e.Permanent = toolscript.Unavailable, false
	}
	if wait, _ := egress.RetryAfter(r.Header, time.Now()); !e.Permanent {
		e.RetryAfter = min(wait, maxRetryAfter)
	}
	e.Err = fmt.Errorf("the endpoint of the model answered %s%s", r.Status, c.key.ReplaceCut(reason(body)))
	return e
}

// reason returns the reason in the body of a refusal, as ": text", or "".
func reason(body []byte) string {
	var b struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &b) != nil || len(b.Error) == 0 {
		return ""
	}
	var detailed struct {
		Message string `json:"message"`
	}
	var text string
	if json.Unmarshal(b.Error, &detailed) == nil {
		text = detailed.Message
	} else if json.Unmarshal(b.Error, &text) != nil {
		return ""
	}
	if text = texts.Cut(text, maxReason); text == "" {
		return ""
	}
	return ": " + text
}

// clean removes the key from an error.
func (c *Client) clean(err error) error {
	text := err.Error()
	if without := c.Without(text); without != text {
		return errors.New(without)
	}
	return err
}

// Without returns a text without the key. Use it for texts of the endpoint, which may repeat the key.
func (c *Client) Without(text string) string { return c.key.Replace(text) }
