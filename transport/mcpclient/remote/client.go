package remote

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

const (
	maxHeaderBytes = 256 << 10
	maxRedirects   = 5
	extraCAs       = "NODE_EXTRA_CA_CERTS"
)

// NewTransport is the way into the network that the environment describes:
// HTTP_PROXY, HTTPS_PROXY and NO_PROXY, and the certificates of the system, for
// which SSL_CERT_FILE and SSL_CERT_DIR stand in where Go reads them, which is
// everywhere but on macOS and Windows. To them come those of the file that
// NODE_EXTRA_CA_CERTS names: whoever has set it for their Node servers means the
// remote ones too. The error says why that file was left out; the transport is
// usable all the same, as with Node.
//
// Each server has a transport of its own, so that none waits for the connections
// of another one.
func NewTransport() (*http.Transport, error) {
	roots, err := extraRoots(os.Getenv(extraCAs))
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: 15 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
		TLSClientConfig:        &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    15 * time.Second,
		IdleConnTimeout:        90 * time.Second,
		MaxIdleConnsPerHost:    32, // calls in parallel; net/http keeps two and dials for all others
		ExpectContinueTimeout:  time.Second,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}, err
}

// extraRoots are the system's certificates and those of a file; nil, which
// stands for the system's alone, when no file is named.
func extraRoots(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file) //nolint:gosec // the user names the file, for this use
	if err != nil {
		return nil, fmt.Errorf("the certificates of %s are not used: %w", extraCAs, err)
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("the certificates of %s are not used: those of the system cannot be read: %w", extraCAs, err)
	}
	if !roots.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("the certificates of %s are not used: %s holds none in PEM form", extraCAs, file)
	}
	return roots, nil
}

// NewClient is a client that leaves redirects to this package: net/http would
// make a GET of a POST, and would carry headers that it does not know for
// credentials to any host.
func NewClient(way http.RoundTripper) *http.Client {
	return &http.Client{
		Transport:     way,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// ParseURL reads the address of a server.
func ParseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("its url cannot be read") // the error would repeat the address, in which secrets may stand
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("its url must be a whole address such as https://example.com/mcp")
	}
	return u, nil
}

// CheckHeaders refuses headers that net/http would refuse at every request.
func CheckHeaders(headers map[string]string) error {
	for name, value := range headers {
		if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`()<>@,;:\"/[]?={}`, r) }) {
			return fmt.Errorf("%q is no name of an HTTP header", name)
		}
		if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			return fmt.Errorf("the value of the HTTP header %s holds a line break or another control character", name)
		}
	}
	return nil
}

// redirected is where an answer sends its request to; nil when it does not. Only
// the server's own origin may be named, or the same host with TLS: whatever else
// would be handed the headers of the configuration and the arguments of tools.
func redirected(from *url.URL, resp *http.Response) (*url.URL, error) {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil, nil
	}
	to, err := from.Parse(resp.Header.Get("Location"))
	if err != nil || resp.Header.Get("Location") == "" {
		return nil, errors.New("the server redirects to nowhere")
	}
	upgrade := from.Scheme == "http" && to.Scheme == "https" && from.Hostname() == to.Hostname()
	if !sameOrigin(from, to) && !upgrade {
		return nil, fmt.Errorf("the server redirects to another origin, %s://%s, which is not followed; if you trust it, write it into .toolscript.json",
			to.Scheme, to.Host)
	}
	return to, nil
}

func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && a.Hostname() == b.Hostname() && port(a) == port(b)
}

func port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	default:
		return "80"
	}
}
