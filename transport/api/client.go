package api

import (
	"net"
	"net/http"
	"net/url"
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
