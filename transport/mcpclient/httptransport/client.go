package httptransport

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/toolscript/toolscript/transport/egress"
)

const (
	maxHeaderBytes = 256 << 10
	maxRedirects   = 5
)

// NewTransport returns an HTTP transport that follows the environment: HTTP_PROXY,
// HTTPS_PROXY, ALL_PROXY and NO_PROXY, and the certificates of the system. SSL_CERT_FILE and
// SSL_CERT_DIR replace these certificates where Go supports it, which excludes macOS
// and Windows. The certificates in the file NODE_EXTRA_CA_CERTS are added, because
// users who set that variable for Node servers need it for remote servers too. The
// error says why that file was ignored. The transport can be used even with an error, as
// in Node.
//
// Each server has its own transport, so that servers do not compete for connections.
func NewTransport() (*http.Transport, error) {
	roots, err := egress.Roots()
	return &http.Transport{
		Proxy:                  egress.ProxyFromEnvironment(),
		DialContext:            (&net.Dialer{Timeout: 15 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
		TLSClientConfig:        &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    15 * time.Second,
		IdleConnTimeout:        90 * time.Second,
		MaxIdleConnsPerHost:    32, // for parallel calls; by default net/http keeps only two idle connections
		ExpectContinueTimeout:  time.Second,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}, err
}

// NewClient returns the HTTP client of one connection. It keeps the cookies of the server. It does not
// follow redirects, because send does: net/http would turn a POST into a GET, and would send
// configured headers to any host unless it recognizes them as credentials.
func NewClient(way http.RoundTripper) *http.Client {
	return &http.Client{
		Transport:     way,
		Jar:           newCookies(),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// ParseURL parses the URL of a server. The error does not contain the URL.
func ParseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("its url cannot be read") // the parser's error would repeat the URL, which may contain secrets
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("its url must be a whole address such as https://example.com/mcp")
	}
	return u, nil
}

// CheckHeaders returns an error for headers that net/http would reject in every
// request.
func CheckHeaders(headers map[string]string) error {
	for name, value := range headers {
		if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`()<>@,;:\"/[]?={}`, r) }) {
			return fmt.Errorf("%q is not a valid name of an HTTP header", name)
		}
		if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			return fmt.Errorf("the value of the HTTP header %s holds a line break or another control character", name)
		}
	}
	return nil
}

// redirected returns the target of a redirect, or nil if the response is not a
// redirect. Only the server's own origin is allowed, or the same host with TLS: any
// other target would receive the configured headers and the arguments of tools.
func redirected(from *url.URL, resp *http.Response) (*url.URL, error) {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil, nil
	}
	to, err := from.Parse(resp.Header.Get("Location"))
	if err != nil || resp.Header.Get("Location") == "" {
		return nil, errors.New("the server redirects without an address")
	}
	upgrade := from.Scheme == "http" && to.Scheme == "https" && from.Hostname() == to.Hostname()
	if !egress.SameOrigin(from, to) && !upgrade {
		return nil, fmt.Errorf("the server redirects to another origin, %s://%s, which is not followed; if you trust it, write it into .toolscript.json",
			to.Scheme, to.Host)
	}
	return to, nil
}
