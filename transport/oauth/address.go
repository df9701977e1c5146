package oauth

import (
	"errors"
	"fmt"
	"net/url"

	"github.com/toolscript/toolscript/transport/egress"
)

// parseAddress parses an https URL, or an http URL of this machine. It returns an error for any
// other URL: only these URLs may receive secrets or be opened in a browser. Servers choose the
// URLs, and "file:", "javascript:" or the scheme of a program could run code on this machine.
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

// CheckURL returns an error unless a URL is safe to open in a browser.
func CheckURL(address string) error {
	_, err := parseAddress(address)
	return err
}

// plain returns a URL for errors and the log, without the parts that may be secret.
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
