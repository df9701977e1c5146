package harness_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/harness"
	"github.com/toolscript/toolscript/runner/worker"
	"github.com/toolscript/toolscript/test/fixture/pace"
	"github.com/toolscript/toolscript/transport/upstream"
)

// hostile is a gateway whose built-in tools get data that is made to be expensive.
type hostile struct {
	*testing.T
	*harness.Local
	root string
	web  *httptest.Server
	page atomic.Pointer[string] // the page that the web server of the test sends
}

func newHostile(t *testing.T) *hostile {
	t.Helper()
	h := &hostile{T: t, root: t.TempDir()}
	limitConversions(t)
	h.web = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(*h.page.Load()))
	}))
	t.Cleanup(h.web.Close)
	settings := upstream.BuiltinSettings{Web: upstream.WebSettings{AllowHosts: []string{"127.0.0.1"}}}
	allow := toolscript.Approvals{{Rules: []toolscript.ApprovalRule{{Match: []string{"*"}, Action: toolscript.ApprovalAllow}}}}
	local, err := harness.Start(harness.Config{Dir: t.TempDir(), Approvals: allow, Servers: map[string]upstream.Config{"builtin": {
		Type: upstream.Builtin, Root: h.root, Settings: settings, Timeout: time.Minute,
		Tools: []string{"applyPatch", "fetchUrl", "fileSearch", "grepFiles", "readFile"},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	h.Local = local
	t.Cleanup(func() { _ = local.Close(context.Background()) }) // the test has ended
	local.Await(t.Context(), nil)
	return h
}

// limitConversions shortens the time limit of conversions.
func limitConversions(t *testing.T) {
	t.Helper()
	limit := worker.ConvertLimit
	worker.ConvertLimit.Work = pace.Limit(3 * time.Second)
	t.Cleanup(func() { worker.ConvertLimit = limit })
}

// call calls a built-in tool. The text is its result or its error.
func (h *hostile) call(ctx context.Context, name string, args any) (text string, failed bool, err error) {
	h.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		h.Fatal(err)
	}
	answer, err := h.CallTool(ctx, toolscript.Call{ID: "builtin__" + name, Args: raw})
	if err != nil {
		return "", true, err
	}
	var result struct{ IsError bool }
	return string(answer), result.IsError, json.Unmarshal(answer, &result)
}

// fetch fetches a page with the given body.
func (h *hostile) fetch(ctx context.Context, body string) (string, error) {
	h.page.Store(&body)
	text, _, err := h.call(ctx, "fetchUrl", map[string]any{"urls": fmt.Sprintf("%s/%d", h.web.URL, len(body)), "maxLength": 1000})
	if toolscript.KindOf(err) == toolscript.TooLarge {
		return err.Error(), nil
	}
	return text, err
}

// memory returns the memory of this process and its children, in MB.
func memory() (total int64) {
	self := os.Getpid()
	all, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range all {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // the process has ended
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		if len(fields) < 22 || filepath.Base(filepath.Dir(name)) != strconv.Itoa(self) && fields[1] != strconv.Itoa(self) {
			continue
		}
		pages, _ := strconv.ParseInt(fields[21], 10, 64)
		total += pages * int64(os.Getpagesize()) >> 20
	}
	return total
}

// maxAbove is the memory that the gateway and its workers may hold in addition to their memory at rest, in MB.
const maxAbove = 600

// TestHostilePages fetches pages whose conversion would take gigabytes or minutes. The memory of
// the gateway and its workers stays below a limit, and the gateway converts the next page.
func TestHostilePages(t *testing.T) {
	if testing.Short() {
		t.Skip("pages that take seconds each")
	}
	h := newHostile(t)
	if text, err := h.fetch(t.Context(), "<title>T</title><p>plain"); err != nil || !strings.Contains(text, `"title":"T"`) {
		t.Fatalf("a plain page: %.300s, %v", text, err)
	}
	watch := watchMemory()
	for name, page := range map[string]struct{ body, want string }{
		"definition lists":   {strings.Repeat("<dt>a<dd>b", 500_000), "it needed more than 256 MB of memory"},
		"terms in a list":    {strings.Repeat("<dl><dt>a<dt>b<dd>c", 250_000), ""},
		"quotes of lines":    {strings.Repeat("<blockquote>", 8) + strings.Repeat("x<br>", 900_000), ""},
		"lists of headings":  {strings.Repeat("<ul><li><h1>a</h1>", 200) + strings.Repeat("<li>b<ol><li>c</ol>", 200_000), ""},
		"formatted letters":  {strings.Repeat("<b>a</b><i>b</i><code>`</code>", 150_000), ""},
		"addresses":          {strings.Repeat("<a href=x><img src=y>", 200_000), ""},
		"elements that nest": {strings.Repeat("<b><i><a href=x>", 200_000), "exceeds 512 nodes"},
	} {
		text, err := h.fetch(t.Context(), page.body[:min(len(page.body), 5<<20)])
		if err != nil || !strings.Contains(text, page.want) {
			t.Errorf("%s: %.300s, %v, want %q", name, text, err, page.want)
		}
		t.Logf("%s: %.120s", name, text)
	}
	if peak := watch(); peak > maxAbove {
		t.Errorf("the pages took %d MB more than the gateway at rest, want at most %d", peak, maxAbove)
	}
	if text, err := h.fetch(t.Context(), "<title>U</title><p>plain again"); err != nil || !strings.Contains(text, `"title":"U"`) {
		t.Errorf("a plain page afterwards: %.300s, %v", text, err)
	}
}

// TestPageEndsWithItsCaller aborts a call whose page is being converted. The process that
// converts the page ends, and the gateway uses no CPU time.
func TestPageEndsWithItsCaller(t *testing.T) {
	h := newHostile(t)
	ctx, cancel := context.WithCancel(t.Context())
	body := strings.Repeat("<dt>a<dd>b", 500_000)
	h.page.Store(&body)
	ended := make(chan error, 1)
	go func() {
		_, _, err := h.call(ctx, "fetchUrl", map[string]any{"urls": h.web.URL})
		ended <- err
	}()
	h.await(t, "the conversion begins", func(busy, _ int) bool { return busy == 1 })
	cancel()
	if err := <-ended; toolscript.KindOf(err) != toolscript.Cancelled {
		t.Errorf("error %v", err)
	}
	h.await(t, "the process ends", func(busy, idle int) bool { return busy+idle == 0 })
}

// TestAbortedCalls aborts calls of built-in tools that would take minutes or run forever. Each
// call ends, no process converts anything, and the gateway uses no CPU time.
func TestAbortedCalls(t *testing.T) {
	h := newHostile(t)
	h.write("rules/.gitignore", strings.Repeat("a*b*c*d*e\n", 100_000))
	h.write("lines", strings.Repeat("a\n", 4<<20))
	h.write("letters", strings.Repeat("a", 32<<20))
	deep := strings.Repeat(strings.Repeat("ab", 60)+"/", 10)
	h.write("as/"+strings.Repeat("a", 100), "")
	for i := range 3000 {
		h.write(fmt.Sprintf("rules/%s%d", deep, i), "")
	}
	if err := os.Truncate(filepath.Join(h.root, "letters"), 1<<40); err != nil { // one line of a terabyte, most of it a hole
		t.Fatal(err)
	}
	hunks := strings.Repeat("@@\n a\n-b\n+c\n", 100)
	for name, call := range map[string]struct {
		tool string
		args map[string]any
	}{
		"a glob":                {"fileSearch", map[string]any{"pattern": strings.Repeat("{a,b}*", 8) + "z", "searchDirectory": "rules"}},
		"braces":                {"fileSearch", map[string]any{"pattern": strings.Repeat("{a,?}", 60) + "z", "searchDirectory": "as"}},
		"braces of braces":      {"grepFiles", map[string]any{"pattern": "a", "path": "as", "include": strings.Repeat("{a,{?,[a]}}", 30) + "z"}},
		"excluded patterns":     {"fileSearch", map[string]any{"pattern": "*", "exclude": slices.Repeat([]string{"*a*b*a*b*a*b*c"}, 100_000)}},
		"ignore rules":          {"fileSearch", map[string]any{"pattern": "zz", "searchDirectory": "rules"}},
		"a line without an end": {"readFile", map[string]any{"filePath": "letters", "offset": 2}},
		"a regular expression":  {"grepFiles", map[string]any{"pattern": "(a?b?){480}x", "path": "lines"}},
		"a patch":               {"applyPatch", map[string]any{"patch": "*** Begin Patch\n*** Update File: lines\n" + hunks + "*** End Patch\n"}},
		"lines of a patch":      {"applyPatch", map[string]any{"patch": "*** Begin Patch\n*** Update File: lines\n" + strings.Repeat("@@ b\n", 100_000) + "-a\n+b\n*** End Patch\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			_, _, err := h.call(ctx, call.tool, call.args)
			t.Logf("%v", err)
			h.await(t, "nothing is converted", func(busy, _ int) bool { return busy == 0 })
			quiet(t)
		})
	}
}

// write writes a file below the root of the tools.
func (h *hostile) write(name, text string) {
	h.Helper()
	path := filepath.Join(h.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		h.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		h.Fatal(err)
	}
}

// quiet waits until this process uses no CPU time.
func quiet(t *testing.T) {
	t.Helper()
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(time.Minute)
	for before := used(); ; {
		select {
		case <-deadline:
			t.Fatal("a minute after its call, the gateway still computes")
		case <-tick.C:
		}
		now := used()
		if now-before < 25*time.Millisecond {
			return
		}
		before = now
	}
}

// await waits for a state of the pool of converters.
func (h *hostile) await(t *testing.T, what string, is func(busy, idle int) bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		status, err := h.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range status.Actors {
			var busy, idle int
			if a.Name != "converters" {
				continue
			}
			if _, err := fmt.Sscanf(a.State, "%d idle, %d busy", &idle, &busy); err != nil {
				t.Fatalf("%q: %v", a.State, err)
			}
			if is(busy, idle) {
				return
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("after a minute, %s not yet", what)
		}
	}
}
