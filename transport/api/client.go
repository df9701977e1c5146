package api

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Client sends the requests of the Backend interface to a gateway. Its errors have the kind
// that the gateway sent, or Unavailable if no gateway answers. No error contains the
// capability. A Client is safe for concurrent use.
type Client struct {
	base          string // capability URL without a trailing slash
	host, profile string // host:port, for messages; see WithProfile
	err           error  // the error of NewClient: the URL is invalid
	http          *http.Client
}

// dialTime is the time limit for connecting.
const dialTime = 5 * time.Second

// NewClient returns a client of the gateway at a capability URL. If the URL is invalid,
// every method returns the error.
func NewClient(capabilityURL string) *Client {
	c := &Client{http: &http.Client{
		Transport: &http.Transport{
			Proxy:               nil, // a proxy would see the capability
			DialContext:         (&net.Dialer{Timeout: dialTime}).DialContext,
			DisableCompression:  true,
			MaxIdleConnsPerHost: 16,
			IdleConnTimeout:     idleTimeout / 2, // shorter than the gateway's time
		},
		// A gateway never redirects. The target of a redirect must not get the
		// capability.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	u, err := url.Parse(strings.TrimSpace(capabilityURL))
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || u.RawQuery != "" || u.Fragment != "" {
		c.err = invalid("not the URL of a gateway; `toolscript gateway start` prints it, such as http://127.0.0.1:PORT/CAPABILITY")
		return c
	}
	c.base = strings.TrimRight(u.String(), "/")
	c.host = u.Host
	return c
}

// Host returns host and port of the gateway. They are not secret.
func (c *Client) Host() string { return c.host }

// URL returns the URL of the gateway with the capability, without a trailing slash.
func (c *Client) URL() string { return c.base }

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

const (
	mediaJSON  = "application/json"
	mediaBytes = "application/octet-stream"
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
