package egress_test

import (
	"net/netip"
	"testing"

	"github.com/toolscript/toolscript/transport/egress"
)

func TestOf(t *testing.T) {
	for want, addresses := range map[egress.Reach][]string{
		egress.Public: {"1.1.1.1", "8.8.8.8", "172.32.0.1", "2606:4700::1111", "::ffff:8.8.8.8"},
		egress.Private: {
			"10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "224.0.0.1", "255.255.255.255", "0.1.2.3", "192.0.0.8",
			"198.18.0.1", "fc00::1", "fd00::1", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "64:ff9b::7f00:1", "64:ff9b:1::1",
			"2002:7f00:1::", "2001::1", "::7f00:1", "100::1", "5f00::1", "::ffff:10.0.0.1",
		},
		egress.Local: {"127.0.0.1", "127.1.2.3", "0.0.0.0", "::", "::1", "::ffff:127.0.0.1", "::1%lo"},
	} {
		for _, address := range addresses {
			if got := egress.ReachOf(netip.MustParseAddr(address)); got != want {
				t.Errorf("Of(%s) = %d, want %d", address, got, want)
			}
		}
	}
	if got := egress.ReachOf(netip.Addr{}); got != egress.Private {
		t.Errorf("Of no address = %d", got)
	}
}

func TestOfHost(t *testing.T) {
	for want, hosts := range map[egress.Reach][]string{
		egress.Public:  {"api.example.com", "API.EXAMPLE.COM.", "8.8.8.8", "[2606:4700::1111]", "local.example.com"},
		egress.Private: {"169.254.169.254", "metadata.google.internal", "router.local", "nas", "127.1", "2130706433", "127.0.0.0x1", "10.0.0.1", "[fe80::1%eth0]", ""},
		egress.Local:   {"localhost", "LOCALHOST.", "app.localhost", "127.0.0.1", "[::1]", "0.0.0.0"},
	} {
		for _, host := range hosts {
			if got := egress.ReachOfHost(host); got != want {
				t.Errorf("OfHost(%q) = %d, want %d", host, got, want)
			}
		}
	}
}

func TestIsLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "127.0.0.1": true, "127.9.9.9": true, "::1": true, "::ffff:127.0.0.1": true,
		"": false, "localhost.example.com": false, "127.0.0.1.example.com": false, "0.0.0.0": false, "192.168.0.1": false, "[::1]": false,
	} {
		if got := egress.IsLoopback(host); got != want {
			t.Errorf("%q: %t, want %t", host, got, want)
		}
	}
}
