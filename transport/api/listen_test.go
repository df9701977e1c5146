package api_test

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/api"
)

func TestListen(t *testing.T) {
	for _, host := range []string{"", "localhost", "127.0.0.1"} {
		ln, err := api.Listen(host, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := ln.Addr().(*net.TCPAddr); got.IP.String() != "127.0.0.1" || got.Port == 0 {
			t.Errorf("Listen(%q) = %s", host, got)
		}
		_ = ln.Close()
	}
}

// TestPortInUse: if the port is in use, the error is one line that names it.
func TestPortInUse(t *testing.T) {
	ln, err := api.Listen("", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	port := ln.Addr().(*net.TCPAddr).Port
	_, err = api.Listen("", port)
	if toolscript.KindOf(err) != toolscript.Conflict {
		t.Fatalf("Listen on a port in use = %v, want kind conflict", err)
	}
	if want := fmt.Sprintf("port %d is in use", port); !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("error = %q, want %q…", err, want)
	}
}

func TestListenOnAnImpossibleAddress(t *testing.T) {
	for _, tt := range []struct {
		host string
		port int
	}{{"", -1}, {"", 65536}, {"192.0.2.1", 0}, {"not a host", 0}} {
		if _, err := api.Listen(tt.host, tt.port); toolscript.KindOf(err) != toolscript.Invalid {
			t.Errorf("Listen(%q, %d) = %v, want kind invalid", tt.host, tt.port, err)
		}
	}
}

func TestIPv6URL(t *testing.T) {
	ln, err := api.Listen("::1", 0)
	if err != nil {
		t.Skipf("no IPv6 here: %v", err)
	}
	srv, err := api.New(&fake{}, api.Options{Listener: ln, Token: api.NewToken()})
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve() }()
	if !strings.HasPrefix(srv.URL(), "http://[::1]:") {
		t.Errorf("URL = %s, want the host in brackets", srv.BaseURL())
	}
	c := api.NewClient(srv.URL())
	if _, err := c.Servers(t.Context(), nil, 0); err != nil {
		t.Errorf("Servers over IPv6: %v", err)
	}
	c.Close()
	if err := srv.Shutdown(t.Context()); err != nil {
		t.Errorf("Shutdown: %v", err)
	}
	if err := kit.Receive(t, served); err != nil {
		t.Errorf("Serve: %v", err)
	}
}
