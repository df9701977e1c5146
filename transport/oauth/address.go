package oauth

import (
	"errors"
	"fmt"
	"net/url"

	"github.com/toolscript/toolscript/transport/egress"
)

// parseAddress accepts https URLs, and http URLs of this machine. Only these may
// receive secrets or be opened in a browser. Servers name such URLs, and "file:",
// "javascript:" or the scheme of a program could run code there.
func parseAddress(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("not a URL") // the error of url.Parse would repeat the query
	}
	switch {
	case u.Host == "" || u.Opaque != "":
		return nil, errors.New("not an absolute URL")
	case u.User != nil:
		return nil, errors.New("a URL with a user name in it")
	case u.Scheme == "https", u.Scheme == "http" && egress.IsLoopback(u.Hostname()):
		return u, nil
	default:
		return nil, fmt.Errorf("%s is neither https nor http to this machine", plain(u))
	}
}

// CheckURL returns an error if a URL must not be opened in a browser.
func CheckURL(address string) error {
	_, err := parseAddress(address)
	return err
}

// plain returns a URL without the parts that may be secret, for errors and the log.
func plain(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// plainText is like plain, for a URL as text.
func plainText(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "(not a URL)"
	}
	return plain(u)
}
