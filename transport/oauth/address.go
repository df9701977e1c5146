package oauth

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
)

// parseAddress accepts the URLs that secrets may travel to, and that a browser
// may be sent to: https, or http to this machine. What a server names reaches a
// command line and a browser, and "file:", "javascript:" or a program's own
// scheme would be run there.
func parseAddress(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("not a URL") // the error would repeat it, with what is in its query
	}
	switch {
	case u.Host == "" || u.Opaque != "":
		return nil, errors.New("not an absolute URL")
	case u.User != nil:
		return nil, errors.New("a URL with a user name in it")
	case u.Scheme == "https", u.Scheme == "http" && isLoopback(u.Hostname()):
		return u, nil
	default:
		return nil, fmt.Errorf("%s is neither https nor http to this machine", plain(u))
	}
}

// CheckURL reports why a URL must not be opened in a browser.
func CheckURL(address string) error {
	_, err := parseAddress(address)
	return err
}

// isLoopback is about the name alone: no other name is looked up, since the
// answer may be another one a moment later.
func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// plain is a URL without what may be secret in it, for errors and the log.
func plain(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// plainText is plain of a text.
func plainText(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "(not a URL)"
	}
	return plain(u)
}

// reach says how far into the private an address lies.
type reach int

const (
	public  reach = iota
	private       // of the local network or of a provider's own
	local         // of this machine
)

// Prefixes that netip does not class: 6to4 and NAT64 lead to an IPv4 address that
// is written into them, the old site-local and the carriers' addresses are
// somebody's inside. CVE-2026-44430 was a list without the first two.
var privateRanges = []netip.Prefix{
	netip.MustParsePrefix("100.64.0.0/10"),
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("64:ff9b::/96"),
	netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("2001::/32"),
	netip.MustParsePrefix("2002::/16"),
	netip.MustParsePrefix("fec0::/10"),
}

func reachOf(ip netip.Addr) reach {
	ip = ip.Unmap()
	switch {
	case ip.IsLoopback(), ip.IsUnspecified():
		return local
	case ip.IsPrivate(), ip.IsLinkLocalUnicast(), ip.IsMulticast(), ip.IsInterfaceLocalMulticast():
		return private
	}
	for _, prefix := range privateRanges {
		if prefix.Contains(ip) {
			return private
		}
	}
	return public
}
