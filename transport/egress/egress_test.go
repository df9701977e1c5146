package egress_test

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/transport/egress"
)

// client returns an HTTP client that uses the proxy as configured by environment variables.
func client(t *testing.T, p *egress.Proxy) *http.Client {
	t.Helper()
	for _, entry := range p.Env() {
		if address, ok := strings.CutPrefix(entry, "HTTPS_PROXY="); ok {
			u, err := url.Parse(address)
			if err != nil {
				t.Fatal(err)
			}
			transport := &http.Transport{Proxy: http.ProxyURL(u), TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
			t.Cleanup(transport.CloseIdleConnections)
			return &http.Client{Transport: transport}
		}
	}
	t.Fatal("no HTTPS_PROXY")
	return nil
}

func start(t *testing.T, targets ...string) *egress.Proxy {
	t.Helper()
	p, err := egress.Options{}.Start(targets, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// status makes a request and returns the status of the response.
func status(t *testing.T, c *http.Client, address string) int {
	t.Helper()
	resp, err := c.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close() // the body is not needed
	return resp.StatusCode
}

func TestTargets(t *testing.T) {
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Proxy-Authorization") != "" {
			t.Error("the target got the credentials of the proxy")
		}
		_, _ = io.WriteString(w, "hello")
	})
	secure, plain, other := httptest.NewTLSServer(answer), httptest.NewServer(answer), httptest.NewServer(answer)
	defer secure.Close()
	defer plain.Close()
	defer other.Close()
	c := client(t, start(t, secure.Listener.Addr().String(), plain.Listener.Addr().String()))
	for _, address := range []string{secure.URL, plain.URL} {
		resp, err := c.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(resp.Body)
		if _ = resp.Body.Close(); string(text) != "hello" {
			t.Errorf("%s: %d %s", address, resp.StatusCode, text)
		}
	}
	if got := status(t, c, other.URL); got != http.StatusForbidden {
		t.Errorf("another target: %d", got)
	}
	if resp, err := c.Get("https://" + other.Listener.Addr().String()); err == nil {
		_ = resp.Body.Close() // the body is not needed
		t.Errorf("another target by CONNECT: %v", resp.Status)
	}
}

// TestNames: localhost can be listed. An address that is not listed is refused, even if a listed
// name resolves to it.
// TestStreams: the header and each event of a stream arrive before the next event.
func TestStreams(t *testing.T) {
	read := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for range 2 {
			_ = http.NewResponseController(w).Flush()
			<-read
			_, _ = io.WriteString(w, "data: 1\n\n") // the test reads it
		}
		_ = http.NewResponseController(w).Flush()
		<-read
	}))
	defer server.Close()
	c := client(t, start(t, strings.TrimPrefix(server.URL, "http://")))
	resp, err := c.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	for range 2 {
		read <- struct{}{}
		event := make([]byte, len("data: 1\n\n"))
		if _, err := io.ReadFull(resp.Body, event); err != nil {
			t.Fatal(err)
		}
	}
	close(read)
}

func TestNames(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	c := client(t, start(t, "localhost:"+port))
	if got := status(t, c, "http://localhost:"+port); got != http.StatusNotFound {
		t.Errorf("localhost: %d", got)
	}
	if got := status(t, c, "http://127.0.0.1:"+port); got != http.StatusForbidden {
		t.Errorf("its address, which is not named: %d", got)
	}
}

func TestCredentials(t *testing.T) {
	p := start(t, "127.0.0.1:1")
	for _, user := range []*url.Userinfo{nil, url.UserPassword("toolscript", "wrong"), url.User("toolscript")} {
		c := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", User: user, Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(int(p.Port())))})}}
		if got := status(t, c, "http://127.0.0.1:1"); got != http.StatusProxyAuthRequired {
			t.Errorf("%v: %d", user, got)
		}
		c.CloseIdleConnections()
	}
}

// TestClose checks that Close ends open connections.
func TestClose(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	p := start(t, l.Addr().String())
	conn, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(int(p.Port()))))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	var auth string
	for _, entry := range p.Env() {
		if address, ok := strings.CutPrefix(entry, "HTTP_PROXY="); ok {
			u, _ := url.Parse(address)
			password, _ := u.User.Password()
			r := http.Request{Header: http.Header{}}
			r.SetBasicAuth("toolscript", password)
			auth = r.Header.Get("Authorization")
		}
	}
	if _, err := io.WriteString(conn, "CONNECT "+l.Addr().String()+" HTTP/1.1\r\nHost: x\r\nProxy-Authorization: "+auth+"\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, 12)
	if _, err := io.ReadFull(conn, answer); err != nil || string(answer) != "HTTP/1.1 200" {
		t.Fatalf("%q, %v", answer, err)
	}
	p.Close()
	if _, err := io.ReadAll(conn); err != nil && !strings.Contains(err.Error(), "reset") {
		t.Errorf("read: %v", err)
	}
}

func TestCheckTarget(t *testing.T) {
	for text, ok := range map[string]bool{
		"api.github.com:443": true, "[::1]:80": true, "10.0.0.1:5432": true,
		"api.github.com": false, ":443": false, "a:0": false, "a:99999": false, "a:http": false, "*.github.com:443": false, "https://a:443": false, "a b:1": false,
	} {
		if err := egress.CheckTarget(text); (err == nil) != ok {
			t.Errorf("CheckTarget(%q) = %v", text, err)
		}
	}
}
