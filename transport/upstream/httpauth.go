package upstream

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/toolscript/toolscript/transport/egress"
)

// HTTPAuth describes the credentials of requests to an HTTP API that is not an MCP server.
type HTTPAuth struct {
	Type     string `json:"type"` // none, bearer, header, query, basic or oauth2; "" is none
	Token    string `json:"token"`
	Name     string `json:"name"`
	Value    string `json:"value"`
	Username string `json:"username"`
	Password string `json:"password"` //nolint:gosec // G117: it is one, and is redacted as the configuration's
}

// None reports whether there are no credentials.
func (a HTTPAuth) None() bool { return a.Type == "" || a.Type == "none" }

// Origin is the origin that receives the credentials of an API. Only NewOrigin returns an Origin
// that receives any.
type Origin struct{ address *url.URL }

// NewOrigin returns the origin of an API. A document may name the address of its API, but does not
// decide where credentials go: with credentials or headers, the address must have the origin of one
// of named, the addresses in the configuration, which a person has trusted.
func NewOrigin(address string, auth HTTPAuth, headers map[string]string, named ...string) (Origin, error) {
	to, err := url.Parse(address)
	if err != nil {
		return Origin{}, err
	}
	if auth.None() && len(headers) == 0 {
		return Origin{to}, nil
	}
	for _, text := range named {
		if from, err := url.Parse(text); err == nil && from.Host != "" && egress.SameOrigin(from, to) {
			return Origin{to}, nil
		}
	}
	return Origin{}, fmt.Errorf("the document names %s://%s as the address of the API, and only the configuration decides which address gets credentials and headers; if this is the right one, add \"baseUrl\": %q to the server in the configuration",
		to.Scheme, to.Host, to.Redacted())
}

// AuthTransport adds the credentials and headers of an API to requests to its origin, and to no
// other requests.
type AuthTransport struct {
	Origin   Origin
	Auth     HTTPAuth
	Headers  map[string]string
	ToOrigin http.RoundTripper
	ToOthers http.RoundTripper
}

// Transport returns the transport for the calls of an API. Its requests go through guard.
func (h Host) Transport(name string, cfg Config, auth HTTPAuth, to Origin, guard http.RoundTripper) AuthTransport {
	way := guard
	if auth.Type == "oauth2" && h.RoundTripper != nil {
		way = h.RoundTripper(name, cfg, guard)
	}
	return AuthTransport{Origin: to, Auth: auth, Headers: cfg.Headers, ToOrigin: way, ToOthers: guard}
}

// RoundTrip implements http.RoundTripper.
func (t AuthTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context()) // a RoundTripper must not change a request
	if t.Origin.address == nil || !egress.SameOrigin(r.URL, t.Origin.address) {
		r.Header.Del("Accept-Encoding")
		return t.ToOthers.RoundTrip(r)
	}
	for name, value := range t.Headers {
		set(r.Header, name, value)
	}
	r.Header.Del("Accept-Encoding") // net/http sets it, and then decodes the answer
	switch t.Auth.Type {
	case "bearer":
		r.Header.Set("Authorization", "Bearer "+t.Auth.Token)
	case "header":
		set(r.Header, t.Auth.Name, t.Auth.Value)
	case "basic":
		r.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(t.Auth.Username+":"+t.Auth.Password)))
	case "query":
		t.Auth.Strip(r.URL)                                                                                     // a redirect may repeat the credentials
		query := strings.ReplaceAll(url.QueryEscape(t.Auth.Name)+"="+url.QueryEscape(t.Auth.Value), "+", "%20") // every server reads %20 as a space
		if r.URL.RawQuery != "" {
			query = r.URL.RawQuery + "&" + query
		}
		r.URL.RawQuery = query
	}
	return t.ToOrigin.RoundTrip(r)
}

// set sets a header. Cookies are put before the cookies of the request.
func set(header http.Header, name, value string) {
	if own := header.Get("Cookie"); own != "" && strings.EqualFold(name, "Cookie") {
		value = strings.TrimRight(value, "; ") + "; " + own
	}
	header.Set(name, value)
}

// Strip removes the credentials from the query of an address. The rest stays as it is.
func (a HTTPAuth) Strip(address *url.URL) {
	if a.Type != "query" || address.RawQuery == "" {
		return
	}
	pairs := slices.DeleteFunc(strings.Split(address.RawQuery, "&"), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		plain, err := url.QueryUnescape(name)
		return err == nil && plain == a.Name
	})
	address.RawQuery = strings.Join(pairs, "&")
}

// MaxRedirects bounds how often one request is redirected.
const MaxRedirects = 5

// CheckRedirect is the CheckRedirect of a client for calls. It keeps headers that are parameters of the
// call, and its cookies, from being sent to another origin.
func CheckRedirect(r *http.Request, via []*http.Request) error {
	if len(via) > MaxRedirects {
		return fmt.Errorf("the API redirected %d times", MaxRedirects)
	}
	if !egress.SameOrigin(r.URL, via[0].URL) {
		if r.Body != nil && r.Body != http.NoBody {
			return errors.New("the API redirects a request with a body to another origin, which is refused")
		}
		kept := http.Header{}
		for _, name := range []string{"Accept", "User-Agent"} {
			if value := r.Header.Get(name); value != "" {
				kept.Set(name, value)
			}
		}
		r.Header = kept
	}
	return nil
}
