package oauth

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
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
	case u.Scheme == "https", u.Scheme == "http" && isLoopback(u.Hostname()):
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

// isLoopback checks only the name. Names are not resolved, because a later lookup can
// have another result.
func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// plain returns a URL without the parts that may be secret, for errors and the log.
func plain(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// plainText is plain for a text.
func plainText(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "(not a URL)"
	}
	return plain(u)
}

// reach is the network that an address belongs to, ordered from public to local.
type reach int

const (
	public  reach = iota
	private       // the local network, or internal to a provider
	local         // this machine
)

// privateRanges are private prefixes that netip does not report as such. 6to4 and
// NAT64 addresses contain the IPv4 address that they lead to; the former site-local
// addresses and those of carrier-grade NAT are internal. CVE-2026-44430 was a list
// without the first two.
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
