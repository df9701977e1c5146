package audit_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/audit"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/internal/texts"
)

// begin starts the actor of a log.
func begin(t *testing.T, dir string, logger *slog.Logger) *audit.Log {
	t.Helper()
	log := audit.NewLog(audit.Options{Chain: audit.ChainOptions{Dir: dir}, Session: "s1", Logger: logger})
	engine, err := actor.NewEngine(actor.NewEngineConfig())
	if err != nil {
		t.Fatal(err)
	}
	var work mailbox.Group
	life := mailbox.NewLife()
	pid := engine.Spawn(audit.New(log, &work), "audit", life.Options("audit")...)
	t.Cleanup(func() {
		<-engine.Poison(pid).Done()
		log.Close()
		<-work.Idle()
	})
	return log
}

// lines returns the lines of the chain, except those that begin a file.
func lines(t *testing.T, dir string) (all []audit.Line) {
	t.Helper()
	if err := audit.ChainLines(dir, func(l audit.ChainLine) {
		var line audit.Line
		if err := json.Unmarshal(l.Text, &line); err != nil {
			t.Error(err)
		}
		if l.Type != audit.TypeFile {
			all = append(all, line)
		}
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

func call(n int) audit.Ended {
	return audit.Ended{
		Call: toolscript.Call{ID: "demo__list", Args: json.RawMessage(`{"a":1}`), Run: "run_1", CallID: fmt.Sprint(n), Approval: toolscript.ApprovedNow},
		Tool: "demo__list", Took: 1500 * time.Microsecond, Result: json.RawMessage(`{"content":[]}`), Outcome: "ok",
	}
}

func TestLines(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		log := begin(t, dir, slog.New(slog.DiscardHandler))
		record := toolscript.RunRecord{RunID: "run_1", File: "a.ts", Engine: "quickjs", Check: "error", StartedAt: time.Now(), Allow: []string{"demo"}}
		log.Run(record, &toolscript.ExecRequest{Code: "return 1", Rules: toolscript.Rules{Client: "me", Session: "s2"}})
		log.Call(call(1))
		record.Calls = make([]toolscript.CallRecord, 1)
		record.Close(toolscript.End{Kind: toolscript.LimitTime, ExitCode: 1, Value: json.RawMessage(`{"a":1}`)})
		log.End(record)
		time.Sleep(time.Second) // of the bubble
		synctest.Wait()
		got := lines(t, dir)
		if len(got) != 3 {
			t.Fatalf("%d lines: %+v", len(got), got)
		}
		run, made, end := got[0], got[1], got[2]
		// printf 'return 1' | sha256sum
		if s := run.Script; s == nil || s.SHA256 != "486d9affb60dbb0063b03d8e23a6ccf6364ce203dc3a9f56f20e750eb41ecade" || s.Bytes != 8 || run.Client != "me" || run.Session != "s2" || run.PID != os.Getpid() || len(run.Allow) != 1 {
			t.Errorf("run: %+v %+v", run, run.Script)
		}
		// printf '{"a":1}' | sha256sum
		if made.Args.SHA256 != "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862" || made.Args.Bytes != 7 ||
			made.Result.Bytes != 14 || made.Approval != "person" || made.Ms != 1.5 || made.Session != "s1" || made.Outcome != "ok" {
			t.Errorf("call: %+v %+v %+v", made, made.Args, made.Result)
		}
		if end.Outcome != string(toolscript.LimitTime) || end.Calls != 1 || *end.ExitCode != 1 || end.Value == nil || end.Value.SHA256 != made.Args.SHA256 {
			t.Errorf("end: %+v %+v", end, end.Value)
		}
		if s := log.Stats(); s.Written != 3 || s.Dropped != 0 || s.File == "" || s.Error != "" {
			t.Errorf("Stats = %+v", s)
		}
	})
	if r, err := audit.Verify(dir); err != nil || r.Fault != nil {
		t.Errorf("Verify: %v, %v", r.Fault, err)
	}
}

// TestTokens compares the tokens in lines with the tokens of the texts that a model reads.
func TestTokens(t *testing.T) {
	count := texts.Tokens[string]
	long := strings.Repeat("The build fails on Windows. ", 5000)
	for name, test := range map[string]struct {
		result string
		want   int
	}{
		"texts":              {`{"content":[{"type":"text","text":"a \"b\" \u00e9"},{"type":"text","text":"\nsecond"}]}`, count("a \"b\" é\nsecond")},
		"text and structure": {`{"structuredContent":{"a":[1,2]},"content":[{"type":"text","text":"{\"a\":[1,2]}"}]}`, count(`{"a":[1,2]}`)},
		"structure":          {`{"content":[],"structuredContent":{"a":[1,2]}}`, count(`{"a":[1,2]}`)},
		"image":              {`{"content":[{"type":"image","mimeType":"image/png","data":"iVBORw0KGgo="}]}`, 0},
		"resource":           {`{"contents":[{"uri":"file:///a","text":"hello"}]}`, count("hello")},
		"prompt":             {`{"messages":[{"role":"user"}]}`, count(`{"messages":[{"role":"user"}]}`)},
		"long":               {`{"content":[{"type":"text","text":"` + long + `"}]}`, count(long)},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			log := audit.NewLog(audit.Options{Chain: audit.ChainOptions{Dir: dir}, Logger: slog.New(slog.DiscardHandler)})
			c := call(1)
			c.Result = json.RawMessage(test.result)
			log.Call(c)
			log.Call(c)
			log.Close()
			got := lines(t, dir)
			if len(got) != 2 || got[1].Result.Tokens == nil || *got[1].Result.Tokens != test.want || got[0].Args.Tokens == nil || *got[0].Args.Tokens != count(`{"a":1}`) {
				t.Fatalf("arguments of %+v", got)
			}
			if r := got[0].Result; r.Tokens == nil || *r.Tokens != test.want {
				t.Errorf("result %+v: %v tokens, want %d", r, r.Tokens, test.want)
			}
		})
	}
}

// TestTokensOfMuch: the lines of one write beyond a bound have no tokens, and all other
// fields.
func TestTokensOfMuch(t *testing.T) {
	dir := t.TempDir()
	log := audit.NewLog(audit.Options{Chain: audit.ChainOptions{Dir: dir}, Logger: slog.New(slog.DiscardHandler)})
	c := call(1)
	c.Result = json.RawMessage(`{"content":[{"type":"text","text":"` + strings.Repeat("many words ", 20_000) + `"}]}`)
	for i := range 40 {
		different := c
		different.Result = json.RawMessage(strings.Replace(string(c.Result), "many", fmt.Sprintf("%04d", i), 1))
		log.Call(different)
	}
	log.Close()
	counted := 0
	for _, line := range lines(t, dir) {
		if line.Result.Bytes != len(c.Result) || len(line.Result.SHA256) != 64 {
			t.Errorf("result %+v", line.Result)
		}
		if line.Result.Tokens != nil {
			counted++
		}
	}
	if counted == 0 || counted == 40 {
		t.Errorf("the tokens of %d results were counted", counted)
	}
}

// reports counts the lines of a log.
type reports struct {
	slog.Handler
	all []string
}

func (r *reports) Handle(_ context.Context, record slog.Record) error {
	r.all = append(r.all, record.Message)
	return nil
}

// TestDropped fills the queue while the folder cannot be written, and looks for the number
// of lost lines in the chain.
func TestDropped(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // no folder can have this name
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		told := &reports{Handler: slog.DiscardHandler}
		log := begin(t, dir, slog.New(enabled{told}))
		log.Call(call(0))
		time.Sleep(30 * time.Second)
		synctest.Wait()
		if len(told.all) != 1 || !strings.Contains(told.all[0], "calls go on") {
			t.Errorf("log: %q, want one line", told.all)
		}
		const most, more = 8192, 100
		for n := range most + more - 1 {
			log.Call(call(n + 1))
		}
		if s := log.Stats(); s.Dropped != more || s.Error == "" || s.Written != 0 {
			t.Errorf("Stats = %+v, want %d dropped", s, more)
		}
		if err := os.Remove(dir); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		got := lines(t, dir)
		last := got[len(got)-1]
		if len(got) != most+1 || last.Type != audit.TypeDrop || last.Count != more || last.Why == "" {
			t.Errorf("%d lines, the last one %+v", len(got), last)
		}
		if s := log.Stats(); s.Error != "" {
			t.Errorf("Stats = %+v", s)
		}
	})
	if r, err := audit.Verify(dir); err != nil || r.Fault != nil {
		t.Errorf("Verify: %v, %v", r.Fault, err)
	}
}

// TestDroppedBytes: while lines cannot be written, they keep the hashes of results and not the results.
func TestDroppedBytes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // no folder can have this name
		t.Fatal(err)
	}
	const calls, size = 64, 1 << 20
	used := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	synctest.Test(t, func(t *testing.T) {
		log := begin(t, dir, slog.New(slog.DiscardHandler))
		before := used()
		for n := range calls {
			c := call(n)
			c.Result = json.RawMessage(`"` + strings.Repeat("x", size) + `"`)
			log.Call(c)
			time.Sleep(10 * time.Second) // a write fails
		}
		if grown := int64(used()) - int64(before); grown > calls*size/2 {
			t.Errorf("%d MB are kept", grown>>20)
		}
		if err := os.Remove(dir); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := lines(t, dir); len(got) != calls || got[0].Result.Bytes != size+2 {
			t.Errorf("%d lines", len(got))
		}
	})
}

// enabled is a handler for all levels.
type enabled struct{ *reports }

func (enabled) Enabled(context.Context, slog.Level) bool { return true }

// TestOddTexts checks the encoding of calls against a decoder.
func TestOddTexts(t *testing.T) {
	dir := t.TempDir()
	log := audit.NewLog(audit.Options{Chain: audit.ChainOptions{Dir: dir}, Logger: slog.New(slog.DiscardHandler)})
	odd := audit.Ended{Call: toolscript.Call{RequestID: "a\"b\\c\n\x7f", Client: "é\u2028\xff"}, Outcome: "toolFailed", Error: `{"x":"<y>"}`}
	log.Call(odd)
	log.Close()
	got := lines(t, dir)
	if len(got) != 1 || got[0].Request != odd.RequestID || got[0].Client != "é\u2028\ufffd" || got[0].Error != odd.Error || got[0].Tool != "" ||
		got[0].Args.Bytes != 2 || got[0].Result != nil || time.Since(got[0].Time) > time.Hour {
		t.Errorf("%+v", got)
	}
}

func BenchmarkCall(b *testing.B) {
	log := audit.NewLog(audit.Options{Chain: audit.ChainOptions{Dir: b.TempDir()}, Logger: slog.New(slog.DiscardHandler)})
	defer log.Close()
	c := call(1)
	for b.Loop() {
		for range 100 {
			log.Call(c)
		}
		if err := audit.Write(log); err != nil {
			b.Fatal(err)
		}
	}
}

// TestCloseWrites checks that Close writes the waiting lines, even without an actor.
func TestCloseWrites(t *testing.T) {
	dir := t.TempDir()
	log := audit.NewLog(audit.Options{Chain: audit.ChainOptions{Dir: dir}, Logger: slog.New(slog.DiscardHandler)})
	large := call(1)
	large.Result = json.RawMessage(`"` + strings.Repeat("x", 20<<20) + `"`) // more than waits
	log.Call(large)
	log.Close()
	if got := lines(t, dir); len(got) != 1 || got[0].Result.Bytes != 20<<20+2 {
		t.Errorf("lines %+v", got)
	}
	var none *audit.Log
	none.Call(large)
	none.Close()
	if none.Stats() != nil {
		t.Error("a nil Log has a state")
	}
}
