package gateway_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// fetchRole makes the test binary a server that fetches the addresses in its arguments, each
// directly and through the proxy of its environment.
const fetchRole = "fetch-confined"

func fetchConfined(addresses []string) {
	for _, address := range addresses {
		fmt.Printf("direct %s: %s\n", address, outcome(&http.Client{Transport: &http.Transport{}}, address))
		proxy, err := url.Parse(os.Getenv("HTTPS_PROXY"))
		if err != nil || proxy.Host == "" {
			fmt.Println("no proxy")
			continue
		}
		fmt.Printf("proxy %s: %s\n", address, outcome(&http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy)}}, address))
	}
	_, err := os.ReadFile(os.Getenv("OUTSIDE"))
	fmt.Println("outside:", err)
	fmt.Println("temporary:", os.WriteFile(filepath.Join(os.TempDir(), "x"), nil, 0o600))
}

func outcome(c *http.Client, address string) string {
	resp, err := c.Get(address)
	if err != nil {
		return "failed"
	}
	defer func() { _ = resp.Body.Close() }()
	text, _ := io.ReadAll(resp.Body)
	return fmt.Sprintf("%d %s", resp.StatusCode, strings.TrimSpace(string(text)))
}

// breakRole makes the test program a server that does what a confined server may not do.
const breakRole = "break-confined"

// breakOut changes modes in and outside of a folder, reads a file, and connects to another
// host at the port of the proxy.
func breakOut(inside, outside string) {
	fmt.Println("mode inside:", os.Chmod(inside, 0o640))
	fmt.Println("setuid:", os.Chmod(inside, 0o640|os.ModeSetuid))
	fmt.Println("mode outside:", os.Chmod(outside, 0o640))
	_, err := os.ReadFile(outside)
	fmt.Println("read outside:", err)
	proxy, err := url.Parse(os.Getenv("HTTPS_PROXY"))
	if err == nil {
		var c net.Conn
		if c, err = net.Dial("tcp4", "127.0.0.2:"+proxy.Port()); err == nil {
			_ = c.Close()
		}
	}
	fmt.Println("other host:", err)
}
