package oauth

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/toolscript/toolscript/internal/rawjson"
	"github.com/toolscript/toolscript/transport/egress"
)

// Limits of one request to an authorization server.
const (
	requestTime  = 20 * time.Second
	maxRedirects = 3
)

// newClient returns the HTTP client for requests about metadata, registration and tokens of the
// server at resource, and the guard of that client. The server names the URLs of these requests,
// so the client
//
//   - accepts only https URLs, and http URLs of this machine;
//   - connects to no address that is more internal than the server's own, except addresses
//     that the user wrote; see package egress;
//   - follows redirects of GET requests only, and none from https to http;
//   - skips a byte order mark at the start of an answer.
func newClient(resource *url.URL, configured ...string) (*http.Client, *egress.Guard) {
	written := []*url.URL{resource}
	for _, address := range configured {
		if u, err := url.Parse(address); err == nil && u.Host != "" {
			written = append(written, u)
		}
	}
	guard := egress.NewGuard(egress.GuardOptions{Written: written, Hint: `if it is right, write its authorization server as "oauth": {"issuer": …} of the server`})
	return &http.Client{
		Timeout: requestTime,
		Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
			if _, err := parseAddress(req.URL.String()); err != nil {
				return nil, fmt.Errorf("the server names an address that is not used: %w", err)
			}
			answer, err := guard.RoundTrip(req)
			if err == nil {
				answer.Body = unmarked{rawjson.SkipMark(answer.Body), answer.Body}
			}
			return answer, err
		}),
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			switch {
			case via[0].Method != http.MethodGet:
				return errors.New("the authorization server redirects a request that carries credentials")
			case len(via) > maxRedirects:
				return fmt.Errorf("more than %d redirects", maxRedirects)
			case via[len(via)-1].URL.Scheme == "https" && req.URL.Scheme != "https":
				return errors.New("a redirect leads away from https")
			}
			return nil
		},
	}, guard
}

// unmarked is the body of an answer without a byte order mark.
type unmarked struct {
	io.Reader
	io.Closer
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
