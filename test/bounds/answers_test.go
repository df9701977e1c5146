//go:build linux

package bounds

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/toolscript/toolscript/test/fixture/pace"
	"github.com/toolscript/toolscript/test/harness"
)

// parallel is the number of calls at once. `task proof` makes 64.
var parallel = flag.Int("at-once", 16, "calls at once in TestAnswersInFlight")

const (
	answer   = 60 << 20
	mostPeak = 1200 // MB
	mostLeft = 100  // MB above the memory before the calls
)

// TestAnswersInFlight calls a server that answers each call with 60 MB: over HTTP as
// JSON and as an event stream, and over stdio.
func TestAnswersInFlight(t *testing.T) {
	if testing.Short() {
		t.Skip("it moves gigabytes")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for form, config := range map[string]string{
		"JSON":         fmt.Sprintf(`"url":%q`, largeServer(t, "application/json").URL),
		"event stream": fmt.Sprintf(`"url":%q`, largeServer(t, "text/event-stream").URL),
		"stdio":        fmt.Sprintf(`"command":%q,"args":[%q]`, self, asServer),
	} {
		t.Run(form, func(t *testing.T) {
			g := start(t, bin, `{"mcpServers":{"large":{"timeout":"5m",`+config+`}}}`)
			call(t, g, 1) // allocates what only a first call needs
			idle := settled(t, g.PID(), 0)
			resetPeak(t, g.PID())
			begun := time.Now()
			var calls sync.WaitGroup
			for range *parallel {
				calls.Go(func() {
					if size := call(t, g, answer); size < answer {
						t.Errorf("an answer of %d bytes, want %d", size, answer)
					}
				})
			}
			calls.Wait()
			took := time.Since(begun)
			peak := peakOf(t, g.PID())
			after := settled(t, g.PID(), idle+mostLeft)
			t.Logf("%d calls of 60 MB: %.0f MB before, %.0f MB at most, %.0f MB within 10 s; %.1f s", *parallel, idle, peak, after, took.Seconds())
			if peak > mostPeak {
				t.Errorf("the gateway held %.0f MB, want at most %d", peak, mostPeak)
			}
			if after > idle+mostLeft {
				t.Errorf("10 s later the gateway holds %.0f MB, want at most %.0f", after, idle+mostLeft)
			}
		})
	}
}

// TestAnswersOfAScript makes the same calls from a script. The answers are larger than a sandbox accepts.
func TestAnswersOfAScript(t *testing.T) {
	if testing.Short() {
		t.Skip("it moves a gigabyte")
	}
	server := largeServer(t, "application/json")
	g := start(t, bin, fmt.Sprintf(`{"mcpServers":{"large":{"url":%q,"timeout":"5m"}}}`, server.URL))
	code := `import { tools } from "toolscript";
		const all = await Promise.allSettled(Array.from({ length: %d }, () => tools.large.big({ bytes: %d })));
		return all.map((r: any) => r.status === "rejected" ? r.reason.code : typeof r.value);`
	if _, err := g.Exec(t.Context(), map[string]any{"code": fmt.Sprintf(code, 1, 1)}); err != nil {
		t.Fatal(err)
	}
	idle := settled(t, g.PID(), 0)
	resetPeak(t, g.PID())
	events, err := g.Exec(t.Context(), map[string]any{"code": fmt.Sprintf(code, 16, answer)})
	if err != nil || len(events) == 0 {
		t.Fatalf("%v, %v", events, err)
	}
	peak, after := peakOf(t, g.PID()), settled(t, g.PID(), idle+mostLeft)
	t.Logf("16 calls of 60 MB in a script: %.0f MB before, %.0f MB at most, %.0f MB within 10 s", idle, peak, after)
	end := events[len(events)-1]
	if codes, _ := end["value"].([]any); len(codes) != 16 || codes[0] != "too_large" {
		t.Errorf("the script ended with %v", end)
	}
	if peak > mostPeak || after > idle+mostLeft {
		t.Errorf("%.0f MB at most and %.0f MB within 10 s; want %d and %.0f", peak, after, mostPeak, idle+mostLeft)
	}
}

// largeServer starts an MCP server over HTTP whose tool big answers with a text of size bytes.
func largeServer(t *testing.T, form string) *httptest.Server {
	t.Helper()
	block := bytes.Repeat([]byte("x"), 1<<20)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Arguments struct {
					Bytes int `json:"bytes"`
				} `json:"arguments"`
			} `json:"params"`
		}
		if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&request) != nil {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		result, size := `{}`, 0
		switch request.Method {
		case "initialize":
			result = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"large","version":"1"}}`
		case "tools/list":
			result = `{"tools":[{"name":"big","inputSchema":{"type":"object"}}]}`
		case "tools/call":
			size = request.Params.Arguments.Bytes
			result = `{"content":[{"type":"text","text":"`
		}
		if request.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", form)
		begin, end := "", ""
		if form == "text/event-stream" {
			begin, end = "data: ", "\n\n"
		}
		_, _ = io.WriteString(w, begin+`{"jsonrpc":"2.0","id":`+string(request.ID)+`,"result":`+result)
		for left := size; left > 0; left -= len(block) {
			_, _ = w.Write(block[:min(left, len(block))])
		}
		if size > 0 {
			end = `"}]}` + "}" + end
		} else {
			end = "}" + end
		}
		_, _ = io.WriteString(w, end)
	}))
	t.Cleanup(server.Close)
	return server
}

// call calls big and returns the length of the answer.
func call(t *testing.T, g *harness.Gateway, size int) int64 {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.URL+"/tools/large__big", bytes.NewReader(fmt.Appendf(nil, `{"bytes":%d}`, size)))
	if err != nil {
		t.Error(err)
		return 0
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Error(err)
		return 0
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	n, err := io.Copy(io.Discard, resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("a call was answered %d with %d bytes, %v", resp.StatusCode, n, err)
	}
	return n
}

// settled returns the memory of the process as soon as it is at most most MB, or after 10 s.
func settled(t *testing.T, pid int, most float64) float64 {
	t.Helper()
	limit := pace.Limit(10 * time.Second)
	if most == 0 && testing.Short() {
		limit = 2 * time.Second // nothing has run whose memory could be returned
	}
	late := time.After(limit)
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		mb := resident(t, pid)
		if mb <= most {
			return mb
		}
		select {
		case <-tick.C:
		case <-late:
			return mb
		}
	}
}

// resetPeak resets the peak memory that the kernel reports for the process.
func resetPeak(t *testing.T, pid int) {
	t.Helper()
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0); err != nil {
		t.Fatal(err)
	}
}

var highWater = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peakOf returns the peak memory of the process, in MB.
func peakOf(t *testing.T, pid int) float64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	kb, err := strconv.ParseFloat(string(highWater.FindSubmatch(text)[1]), 64)
	if err != nil {
		t.Fatal(err)
	}
	return kb / 1024
}
