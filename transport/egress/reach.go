package egress

import (
	"net/netip"
	"strings"

	"golang.org/x/net/idna"
)

// Reach is the network that an address belongs to, ordered from public to local.
type Reach int

// The networks.
const (
	Public  Reach = iota
	Private       // the local network, internal to a provider, or reserved
	Local         // this machine
)

// private are prefixes of addresses that count as Private although netip does not report them as
// private. 6to4, NAT64, Teredo and IPv4-compatible addresses contain the IPv4 address to which they
// lead. The former site-local addresses and those of carrier-grade NAT are internal. The others are
// reserved. CVE-2026-44430 was caused by a list without the first two.
var private = prefixes(
	"2002::/16", "64:ff9b::/96", "64:ff9b:1::/48", "2001::/32", "::/96", "fec0::/10",
	"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "198.18.0.0/15", "240.0.0.0/4",
	"100::/64", "5f00::/16",
)

func prefixes(texts ...string) (all []netip.Prefix) {
	for _, text := range texts {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}

// ReachOf returns the network of an address.
func ReachOf(ip netip.Addr) Reach {
	ip = ip.Unmap().WithZone("")
	switch {
	case !ip.IsValid(), ip.IsPrivate(), ip.IsLinkLocalUnicast(), ip.IsMulticast(), ip.IsInterfaceLocalMulticast():
		return Private
	case ip.IsLoopback(), ip.IsUnspecified():
		return Local
	}
	for _, prefix := range private {
		if prefix.Contains(ip) {
			return Private
		}
	}
	return Public
}

// local are the last parts of names that resolvers answer without the public DNS.
var local = []string{"local", "internal", "lan", "home.arpa", "intranet", "corp", "home"}

// maxHost is more than the length of a host in bytes that a connection may lead to: a name has at most 253 letters of ASCII.
const maxHost = 1 << 10

// ReachOfHost returns the network of a host as far as its spelling shows it. The host is an address or a
// name; ReachOfHost does not look it up. A name without a dot, or with a number as its last part, is
// not public. For any other name, Public says nothing about the addresses of the name.
func ReachOfHost(host string) Reach {
	if len(host) > maxHost {
		return Local
	}
	if sent, err := idna.Lookup.ToASCII(host); err == nil { // the HTTP client also replaces letters and digits that stand for those of ASCII
		host = sent
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if ip, err := netip.ParseAddr(host); err == nil {
		return ReachOf(ip)
	}
	top := host[strings.LastIndexByte(host, '.')+1:]
	switch {
	case top == "localhost":
		return Local
	case top == host, strings.Trim(top, "0123456789") == "", strings.HasPrefix(top, "0x"): // such as 127.1
		return Private
	}
	for _, end := range local {
		if strings.HasSuffix(host, "."+end) {
			return Private
		}
	}
	return Public
}

// IsLoopback reports whether the spelling of a host shows that it is this machine: localhost, or a
// loopback address. It does not resolve names, because a later lookup could have another result.
func IsLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}
