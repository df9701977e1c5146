package httptransport_test

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript/transport/mcpclient/httptransport"
)

// proxied receives the hosts of requests that went through the proxy of the environment. There is
// one for all tests, because net/http reads the proxy settings once per process.
var proxied = make(chan string, 10)

func TestMain(m *testing.M) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		proxied <- r.Method + " " + r.URL.String()
		http.Error(w, "no further", http.StatusBadGateway)
	}))
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY"} {
		if err := os.Setenv(name, proxy.URL); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	proxy.Close()
	os.Exit(code)
}

// reach sends one request and returns its error.
func reach(t *testing.T, address string) error {
	t.Helper()
	way, err := httptransport.NewTransport()
	if err != nil {
		t.Fatal(err)
	}
	to, err := httptransport.ParseURL(address)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_, err = httptransport.OpenSSE(ctx, httptransport.Options{
		URL: to, Client: httptransport.NewClient(way), Limit: 1000, Log: func(slog.Level, string, ...any) {},
	})
	return err
}

func TestProxiesOfTheEnvironment(t *testing.T) {
	for _, tt := range []struct{ address, want string }{
		{"http://mcp.test/sse?token=secret", "GET http://mcp.test/sse?token=secret"},
		{"https://mcp.test/sse", "CONNECT //mcp.test:443"},
	} {
		err := reach(t, tt.address)
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: error %v", tt.address, err)
		}
		if got := <-proxied; got != tt.want {
			t.Errorf("the proxy saw %s, want %s", got, tt.want)
		}
	}
	local := httptest.NewServer(http.NotFoundHandler())
	defer local.Close()
	var refused *httptransport.StatusError
	if err := reach(t, local.URL); !errors.As(err, &refused) || refused.Status != http.StatusNotFound {
		t.Errorf("a server on loopback: %v", err)
	}
	if len(proxied) > 0 {
		t.Errorf("the proxy saw %s", <-proxied)
	}
}

func TestErrorsOfTLS(t *testing.T) {
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	secure.StartTLS()
	defer secure.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	old := httptest.NewUnstartedServer(http.NotFoundHandler())
	old.Config.ErrorLog = secure.Config.ErrorLog
	old.TLS = &tls.Config{MaxVersion: tls.VersionTLS11}
	old.StartTLS()
	defer old.Close()
	for _, tt := range []struct{ name, address, want string }{
		{"unknown authority", secure.URL, "SSL_CERT_FILE"},
		{"no TLS", strings.Replace(plain.URL, "http", "https", 1), "http://"},
		{"an old version of TLS", old.URL, "protocol version"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := reach(t, tt.address)
			var unreachable *httptransport.UnreachableError
			if !errors.As(err, &unreachable) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
		})
	}

	file := filepath.Join(t.TempDir(), "ca.pem")
	own := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})
	if err := os.WriteFile(file, own, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("NODE_EXTRA_CA_CERTS", file)
	var refused *httptransport.StatusError
	if err := reach(t, secure.URL); !errors.As(err, &refused) {
		t.Errorf("with its authority: %v, want the server's own 404", err)
	}
	elsewhere := strings.Replace(secure.URL, "127.0.0.1", "localhost", 1)
	if err := reach(t, elsewhere); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("another name: %v", err)
	}
}

func TestInvalidExtraCertificates(t *testing.T) {
	for content, want := range map[string]string{"": "no such file", "no certificate": "in PEM form"} {
		file := filepath.Join(t.TempDir(), "ca.pem")
		if content != "" {
			if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv("NODE_EXTRA_CA_CERTS", file)
		way, err := httptransport.NewTransport()
		if way == nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("transport %v, error %v, want %q in it", way, err, want)
		}
	}
}

func TestParseURLKeepsSecrets(t *testing.T) {
	for _, address := range []string{"", "/mcp", "ftp://host/", "https://", "https://user:secret@ho st/", "https://host/%zz?secret", (&url.URL{Opaque: "secret"}).String()} {
		if u, err := httptransport.ParseURL(address); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("ParseURL(%q) = %v, %v", address, u, err)
		}
	}
}
