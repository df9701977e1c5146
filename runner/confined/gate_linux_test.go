package confined_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript/runner/confine"
	"github.com/toolscript/toolscript/runner/confined"
)

// TestGateWithoutListener: if the gate gets no listener, the log says what the server cannot do.
func TestGateWithoutListener(t *testing.T) {
	logged := make(chan string, 1)
	gate, file, err := confined.NewGate(confined.Spec{Port: 1}, nil, func(level slog.Level, format string, args ...any) {
		logged <- level.String() + " " + fmt.Sprintf(format, args...)
	})
	must(t, err)
	defer gate.Close()
	must(t, unix.Sendmsg(int(file.Fd()), []byte{0}, nil, nil, 0))
	must(t, file.Close())
	if text := <-logged; !strings.HasPrefix(text, "ERROR the server can neither connect to its proxy nor change modes") {
		t.Errorf("logged %q", text)
	}
}

// TestGateOfNoServer: the gate of a server that never started ends without logging anything.
func TestGateOfNoServer(t *testing.T) {
	gate, file, err := confined.NewGate(confined.Spec{Port: 1}, nil, func(_ slog.Level, format string, args ...any) { t.Errorf(format, args...) })
	must(t, err)
	gate.Close()
	gate.Close()
	must(t, file.Close())
}

// TestNetworkPart checks the description of the network confinement for what the machine supports.
func TestNetworkPart(t *testing.T) {
	hosts := []string{"a.example:443", "b.example:443"}
	open := "the port of the proxy is open on all hosts"
	if !confine.RestrictsPorts() {
		open = "a program that ignores the proxy reaches all hosts"
	}
	for _, c := range []struct {
		missing  string
		hosts    []string
		filtered bool
		active   bool
		detail   string
	}{
		{"", nil, true, true, "none"},
		{"", hosts, true, true, "by a proxy to a.example:443, b.example:443"},
		{"old kernel", nil, true, true, "none"},
		{"old kernel", hosts, true, false, "by a proxy to a.example:443, b.example:443, but " + open + ": old kernel"},
		{"", hosts, false, false, "no filter"},
		{"", nil, false, false, "no filter"},
	} {
		confined.WithoutGate(t, c.missing)
		part := confined.Network(c.hosts, c.filtered)
		if part.Active != c.active || part.Detail != c.detail {
			t.Errorf("without %q, %q, filtered %t: %+v", c.missing, c.hosts, c.filtered, part)
		}
	}
}
