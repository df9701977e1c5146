package egress

import (
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// allowed holds the hosts and addresses that the user allows.
type allowed struct {
	names    map[string]bool // set of host and host:port
	prefixes []prefix
}

// prefix is a range of addresses, on one port or on all ports.
type prefix struct {
	netip.Prefix
	port uint16 // 0: all
}

func newAllowed(entries []string) allowed {
	a := allowed{names: map[string]bool{}}
	for _, entry := range entries {
		if p, is := parsePrefix(entry); is {
			a.prefixes = append(a.prefixes, p)
			continue
		}
		a.names[canonical(entry)] = true
	}
	return a
}

// parsePrefix reads a prefix, an address, or an address with a port.
func parsePrefix(text string) (prefix, bool) {
	if p, err := netip.ParsePrefix(text); err == nil {
		return prefix{p.Masked(), 0}, true
	}
	if at, err := netip.ParseAddrPort(text); err == nil {
		ip := at.Addr().Unmap()
		return prefix{netip.PrefixFrom(ip, ip.BitLen()), at.Port()}, true
	}
	if ip, err := netip.ParseAddr(strings.Trim(text, "[]")); err == nil {
		ip = ip.Unmap()
		return prefix{netip.PrefixFrom(ip, ip.BitLen()), 0}, true
	}
	return prefix{}, false
}

// name reports whether the name in host:port is allowed, whatever address it has.
func (a allowed) name(hostPort string) bool {
	host, _, err := net.SplitHostPort(hostPort)
	return err == nil && (a.names[canonical(host)] || a.names[canonical(hostPort)])
}

// address reports whether an address is allowed.
func (a allowed) address(at netip.AddrPort) bool {
	ip := at.Addr().Unmap()
	for _, p := range a.prefixes {
		if p.Contains(ip) && (p.port == 0 || p.port == at.Port()) {
			return true
		}
	}
	return false
}

// canonical returns a host, or host:port, in lower case without the dot of the root.
func canonical(text string) string {
	if ip, err := netip.ParseAddr(strings.Trim(text, "[]")); err == nil {
		return ip.Unmap().String()
	}
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return lower(strings.TrimSuffix(text, "."))
	}
	return net.JoinHostPort(canonical(host), port)
}

// hostPort returns the canonical host:port of a URL.
func hostPort(u *url.URL) string { return canonical(net.JoinHostPort(u.Hostname(), port(u))) }

// port returns the port of a URL, or the default port of its scheme.
func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	return map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)]
}

// Origin returns the origin of a URL: its scheme, host and port.
func Origin(u *url.URL) string {
	return lower(u.Scheme + "://" + net.JoinHostPort(u.Hostname(), port(u)))
}

// lower returns a text with the letters of ASCII in lower case. The lower case of another letter can be that of another host:
// strings.ToLower makes an i of U+0130, but a connection to a host with U+0130 does not lead to the host with the i.
func lower(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, text)
}

// SameOrigin reports whether two URLs have the same scheme, host and port.
func SameOrigin(a, b *url.URL) bool { return Origin(a) == Origin(b) }
