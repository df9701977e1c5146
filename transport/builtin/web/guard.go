// Package web provides the built-in tools that read the web. They connect only to public
// addresses: no page, redirect or DNS server may lead them into the user's network.
package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/toolscript/toolscript/transport/egress"
)

// Limits of one request.
const (
	requestTime  = 20 * time.Second
	maxRedirects = 5
	maxBody      = 5 << 20 // maximum size of a page in bytes
)

// newClient returns an HTTP client without cookies and without a proxy: a proxy would
// resolve names itself, and could reach private addresses.
func newClient(allowHosts []string) *http.Client {
	return &http.Client{
		Timeout: requestTime,
		Transport: egress.NewGuard(egress.GuardOptions{
			Allowed: allowHosts, Hint: `"allowHosts" of the server's web settings can allow it`,
			Base: &http.Transport{TLSHandshakeTimeout: requestTime, DisableKeepAlives: true, MaxResponseHeaderBytes: 1 << 20},
		}),
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return fmt.Errorf("more than %d redirects", maxRedirects)
			}
			return check(req.URL)
		},
	}
}

// parseURL parses and checks the address of a page.
func parseURL(text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil {
		return nil, errors.New("not a URL") // the error of url.Parse would repeat the query
	}
	u.Fragment = ""
	return u, check(u)
}

func check(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return errors.New("only http and https URLs can be fetched")
	case u.Host == "" || u.Hostname() == "" || u.Opaque != "":
		return errors.New("the URL has no host")
	case u.User != nil:
		return errors.New("the URL has a user name in it")
	}
	return nil
}
