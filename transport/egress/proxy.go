package egress

import (
	"cmp"
	"crypto/tls"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"golang.org/x/net/http/httpproxy"
)

// ProxyFromEnvironment returns a function for http.Transport.Proxy. Like http.ProxyFromEnvironment, it
// follows HTTP_PROXY, HTTPS_PROXY and NO_PROXY. If one of the first two is not set, it uses ALL_PROXY
// instead. A request through a proxy whose scheme net/http does not support fails with an error that
// names the scheme.
func ProxyFromEnvironment() func(*http.Request) (*url.URL, error) {
	config := httpproxy.FromEnvironment()
	all := cmp.Or(os.Getenv("ALL_PROXY"), os.Getenv("all_proxy"))
	config.HTTPProxy, config.HTTPSProxy = cmp.Or(config.HTTPProxy, all), cmp.Or(config.HTTPSProxy, all)
	proxy := config.ProxyFunc()
	return func(r *http.Request) (*url.URL, error) {
		to, err := proxy(r.URL)
		if err == nil && to != nil && !slices.Contains(proxySchemes, to.Scheme) {
			return nil, fmt.Errorf("the proxy of the environment (HTTP_PROXY, HTTPS_PROXY or ALL_PROXY) has the scheme %.20q, which is not supported; it must be one of %s", to.Scheme, strings.Join(proxySchemes, ", "))
		}
		return to, err
	}
}

var proxySchemes = []string{"http", "https", "socks5", "socks5h"}

// NewTransport returns a copy of http.DefaultTransport with the proxies of ProxyFromEnvironment and the certificates of
// Roots. If Roots fails, it has those of the system, as Node has: connections to MCP servers report that error.
func NewTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.Proxy = ProxyFromEnvironment()
	if roots, err := Roots(); err == nil && roots != nil {
		t.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	}
	return t
}
