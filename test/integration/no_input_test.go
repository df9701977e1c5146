//go:build integration && linux

package integration

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/harness"
)

// TestClientThatDoesNotReadBlocksNothing starts a run whose client never reads its output. The run
// must end at its time limit, and the gateway must stop when it is asked to.
func TestClientThatDoesNotReadBlocksNothing(t *testing.T) {
	g := gateway(t, `{"mcpServers": {}}`)
	const body = `{"code":"for (;;) console.log('x'.repeat(100000))","limits":{"timeoutMs":500,"outputBytes":1000000000}}`
	execWithoutReading(t, g, body)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := harness.Until(ctx, func() (bool, error) {
		var runs []toolscript.RunRecord
		status, err := g.Get(ctx, "/runs", &runs)
		if err != nil || status != http.StatusOK {
			return false, fmt.Errorf("GET /runs: %d, %w", status, err)
		}
		return len(runs) == 1 && runs[0].State == "ended" && strings.HasPrefix(string(runs[0].Kind), "limit_"), nil
	}); err != nil {
		t.Fatalf("the run of a client that does not read: %v", err)
	}
	if err := g.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := g.Wait(); err != nil {
		t.Errorf("interrupted while a client does not read, the gateway ended with %v\n%s", err, g.Log())
	}
}

// execWithoutReading sends an exec request and never reads the response.
func execWithoutReading(t *testing.T, g *harness.Gateway, body string) {
	t.Helper()
	at, err := url.Parse(g.URL)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", at.Host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })                             // the response is never read
	if err := conn.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil { // otherwise the kernel buffers megabytes
		t.Fatal(err)
	}
	request := fmt.Sprintf("POST %s/exec HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", at.Path, at.Host, len(body), body)
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
}

// TestClientsThatDoNotReadHoldNoSandbox starts more such clients than there are sandboxes. All scripts
// must end long before their limit of five minutes.
func TestClientsThatDoNotReadHoldNoSandbox(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	const clients = 40
	g := gateway(t, `{"mcpServers": {}}`)
	execWithoutReading(t, g, `{"code":"return 1"}`) // the first run caches the compiled engine for the others
	endWell(t, g, 1)
	for range clients {
		execWithoutReading(t, g, `{"code":"for (let n = 0; n < 20; n++) console.log('x'.repeat(100000)); return 1","check":"off"}`)
	}
	endWell(t, g, 1+clients)
}

// endWell waits until n runs have succeeded.
func endWell(t *testing.T, g *harness.Gateway, want int) {
	t.Helper()
	states := map[string]int{}
	if err := harness.Until(t.Context(), func() (bool, error) {
		var runs []toolscript.RunRecord
		status, err := g.Get(t.Context(), "/runs", &runs)
		if err != nil || status != http.StatusOK {
			return false, fmt.Errorf("GET /runs: %d, %w", status, err)
		}
		ended := 0
		clear(states)
		for _, run := range runs {
			states[run.State+" "+string(run.Kind)]++
			if run.OK != nil && *run.OK {
				ended++
			}
		}
		return ended == want, nil
	}); err != nil {
		t.Fatalf("of %d runs %v: %v", want, states, err)
	}
}
