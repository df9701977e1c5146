package egress_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// resolve answers DNS questions of this process until the end of the test: each name has the
// addresses of the table.
func resolve(t *testing.T, names map[string][]string) {
	t.Helper()
	server, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	before := net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp4", server.LocalAddr().String())
	}}
	t.Cleanup(func() {
		net.DefaultResolver = before
		_ = server.Close()
	})
	go func() {
		for b := make([]byte, 1500); ; {
			n, from, err := server.ReadFrom(b)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(b[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			m.Response, m.Additionals = true, nil
			q := m.Questions[0]
			for _, text := range names[strings.TrimSuffix(q.Name.String(), ".")] {
				header, ip := dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, TTL: 1}, net.ParseIP(text)
				switch {
				case q.Type == dnsmessage.TypeA && !strings.Contains(text, ":"):
					m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{A: [4]byte(ip.To4())}})
				case q.Type == dnsmessage.TypeAAAA && strings.Contains(text, ":"):
					m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AAAAResource{AAAA: [16]byte(ip.To16())}})
				}
			}
			if answer, err := m.Pack(); err == nil {
				_, _ = server.WriteTo(answer, from)
			}
		}
	}()
}

// TestPrivateNames: a name of the list that leads to this machine or into the local network is
// refused, whatever the form of its address.
func TestPrivateNames(t *testing.T) {
	names := map[string][]string{
		"loopback.example": {"127.0.0.1"}, "loopback6.example": {"::1"}, "mapped.example": {"::ffff:127.0.0.1"}, "private.example": {"10.0.0.1"},
		"linklocal.example": {"169.254.169.254"}, "nat64.example": {"64:ff9b::7f00:1"}, "several.example": {"192.168.1.1", "127.0.0.1", "fd00::1"},
	}
	resolve(t, names)
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for name := range names {
		c := client(t, start(t, name+":"+port))
		resp, err := c.Get("http://" + name + ":" + port)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		text, _ := io.ReadAll(resp.Body)
		if _ = resp.Body.Close(); resp.StatusCode != http.StatusBadGateway || !strings.Contains(string(text), "no public address") {
			t.Errorf("%s: %d %s", name, resp.StatusCode, text)
		}
		if resp, err := c.Get("https://" + name + ":" + port); err == nil {
			_ = resp.Body.Close() // it is not read
			t.Errorf("%s by CONNECT: %d", name, resp.StatusCode)
		}
	}
}
