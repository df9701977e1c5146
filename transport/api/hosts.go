package api

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/toolscript/toolscript"
)

// hostName is a further host name of a gateway, in lower case.
type hostName struct {
	name string
	port string // "": any port
}

// parseHost parses a host name or an address, with or without a port.
func parseHost(text string) (hostName, error) {
	invalid := func(why string) (hostName, error) {
		return hostName{}, &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf("allowed host %q: %s", text, why)}
	}
	h := splitHost(text)
	switch {
	case strings.Contains(h.name, "*"):
		return invalid("each name is listed; there are no patterns")
	case net.ParseIP(strings.Trim(h.name, "[]")) == nil && slices.ContainsFunc(strings.Split(h.name, "."), notLabel):
		return invalid("want a name or an address, with or without a port, such as host.docker.internal or localhost:8080")
	}
	if n, err := strconv.ParseUint(h.port, 10, 16); (h.port != "" || strings.HasSuffix(text, ":")) && (err != nil || n == 0) {
		return invalid("the port is no number from 1 to 65535")
	}
	return h, nil
}

// notLabel reports whether a text cannot be a part of a host name. Names of containers have "_".
func notLabel(text string) bool {
	return text == "" || len(text) > 63 || text[0] == '-' || text[len(text)-1] == '-' || strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789-_") != ""
}

// splitHost splits the value of a Host header. An IPv6 address keeps its brackets.
func splitHost(text string) hostName {
	text = strings.ToLower(text)
	name, port := text, ""
	if i := strings.LastIndexByte(text, ':'); i >= 0 && !strings.HasSuffix(text, "]") {
		name, port = text[:i], text[i+1:]
	}
	return hostName{name, port}
}

// is reports whether a Host header names the host. A header without a port means the port
// of the scheme, which is https behind a proxy with TLS.
func (h hostName) is(header string) bool {
	got := splitHost(header)
	if got.name != h.name {
		return false
	}
	return h.port == "" || got.port == h.port || got.port == "" && (h.port == "80" || h.port == "443")
}
