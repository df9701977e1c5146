package httptransport

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"sync"

	"github.com/toolscript/toolscript/transport/egress"
)

const (
	maxCookies = 50      // on one connection
	maxCookie  = 4 << 10 // bytes of the name and the value of a cookie
)

// cookies is an http.CookieJar for one connection. It sends cookies only to the origin that has set
// them. Load balancers use cookies to send all requests of a client to the same node.
type cookies struct {
	mu    sync.Mutex
	jars  map[string]*cookiejar.Jar // by origin
	names map[string]bool           // origins and names of all cookies so far
}

func newCookies() *cookies {
	return &cookies{jars: map[string]*cookiejar.Jar{}, names: map[string]bool{}}
}

// SetCookies implements http.CookieJar.
func (c *cookies) SetCookies(u *url.URL, set []*http.Cookie) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var kept []*http.Cookie
	for _, one := range set {
		key := egress.Origin(u) + " " + one.Name
		if len(one.Name)+len(one.Value) > maxCookie || !c.names[key] && len(c.names) == maxCookies {
			continue
		}
		c.names[key] = true
		kept = append(kept, one)
	}
	if len(kept) == 0 {
		return
	}
	jar := c.jars[egress.Origin(u)]
	if jar == nil {
		jar, _ = cookiejar.New(nil) // never fails
		c.jars[egress.Origin(u)] = jar
	}
	jar.SetCookies(u, kept)
}

// Cookies implements http.CookieJar.
func (c *cookies) Cookies(u *url.URL) []*http.Cookie {
	c.mu.Lock()
	defer c.mu.Unlock()
	if jar := c.jars[egress.Origin(u)]; jar != nil {
		return jar.Cookies(u)
	}
	return nil
}
