package reach

import (
	"cmp"
	"net/http"
	"net/url"
	"os"

	"golang.org/x/net/http/httpproxy"
)

// ProxyFromEnvironment returns the Proxy of an http.Transport that follows HTTP_PROXY, HTTPS_PROXY
// and NO_PROXY, as http.ProxyFromEnvironment does, and ALL_PROXY where the first two are not set.
func ProxyFromEnvironment() func(*http.Request) (*url.URL, error) {
	config := httpproxy.FromEnvironment()
	all := cmp.Or(os.Getenv("ALL_PROXY"), os.Getenv("all_proxy"))
	config.HTTPProxy, config.HTTPSProxy = cmp.Or(config.HTTPProxy, all), cmp.Or(config.HTTPSProxy, all)
	proxy := config.ProxyFunc()
	return func(r *http.Request) (*url.URL, error) { return proxy(r.URL) }
}
