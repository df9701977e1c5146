package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/api"
)

// stream begins POST /exec and returns a reader of its lines.
func (l *live) stream(t *testing.T) (*bufio.Reader, context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), kit.Patience)
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.URL()+"/exec", strings.NewReader(`{"code":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := (&http.Transport{}).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	if ct := resp.Header.Get("Content-Type"); resp.StatusCode != 200 || ct != "application/x-ndjson" {
		t.Fatalf("POST /exec = %d %s", resp.StatusCode, ct)
	}
	return bufio.NewReader(resp.Body), cancel
}

func readLine(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	line, err := r.ReadString('\n')
	if err != nil {
		t.Fatalf("read a line: %v (have %q)", err, line)
	}
	return line
}

// TestEventsAreSentAsTheyHappen: the client can read each line before the next event is sent.
func TestEventsAreSentAsTheyHappen(t *testing.T) {
	next := make(chan struct{})
	l := serve(t, &fake{exec: func(_ context.Context, _ toolscript.ExecRequest, emit func(toolscript.Event) error) error {
		end := toolscript.End{OK: true, Value: json.RawMessage(`{"count":42}`), Metrics: &toolscript.Metrics{ToolCalls: 1}}
		for _, e := range []toolscript.Event{
			start("r1"),
			{Type: toolscript.EventStdout, Data: "first\n<&> é"},
			toolscript.EndEvent("r1", end),
		} {
			if err := emit(e); err != nil {
				return err
			}
			<-next
		}
		return nil
	}})
	r, _ := l.stream(t)
	for _, want := range []string{
		`{"type":"start","runId":"r1"}`,
		`{"type":"stdout","data":"first\n<&> é"}`,
		`{"type":"end","runId":"r1","ok":true,"value":{"count":42},"exitCode":0,"metrics":{"durationMs":0,"compileMs":0,"checkMs":0,"runMs":0,"cpuMs":0,"toolCalls":1,"memoryUsedMb":0,"stdoutBytes":0,"stderrBytes":0}}`,
	} {
		if diff := cmp.Diff(want+"\n", readLine(t, r)); diff != "" {
			t.Errorf("line (-want +got):\n%s", diff)
		}
		next <- struct{}{}
	}
	if rest, err := r.ReadString('\n'); err == nil || rest != "" {
		t.Errorf("after the last event: %q, %v", rest, err)
	}
	line := l.log.line(t, "route", "/exec")
	if line["outcome"] != "ok" || line["run"] != "r1" || line["status"] != 200.0 {
		t.Errorf("log line = %v", line)
	}
}

func TestHeartbeat(t *testing.T) {
	over := make(chan struct{})
	l := serve(t, &fake{exec: func(_ context.Context, _ toolscript.ExecRequest, emit func(toolscript.Event) error) error {
		err := emit(start("r1"))
		<-over
		return errors.Join(err, emit(toolscript.EndEvent("r1", toolscript.End{OK: true})))
	}}, func(o *api.Options) { o.Heartbeat = time.Millisecond })
	r, _ := l.stream(t)
	readLine(t, r)
	for range 3 {
		if line := readLine(t, r); line != "\n" {
			t.Errorf("line of a silent run = %q, want a blank one", line)
		}
	}
	close(over)
}

// TestExecThatCannotBegin: an error before the first event has its HTTP status, as on other routes.
func TestExecThatCannotBegin(t *testing.T) {
	l := serve(t, &fake{exec: func(context.Context, toolscript.ExecRequest, func(toolscript.Event) error) error {
		return &toolscript.Error{Kind: toolscript.Busy, Err: errors.New("too many runs"), RetryAfter: time.Second}
	}})
	got := l.ask(t, http.MethodPost, "/exec", `{"code":""}`)
	if got.status != 429 || got.kind() != toolscript.Busy || got.header.Get("Retry-After") != "1" {
		t.Errorf("POST /exec = %d %s", got.status, got.body)
	}
}

// TestExecOfABrokenBackend: the client receives an end event even if the Backend fails.
func TestExecOfABrokenBackend(t *testing.T) {
	type execFunc = func(context.Context, toolscript.ExecRequest, func(toolscript.Event) error) error
	tests := []struct {
		name string
		exec execFunc
		want int
	}{
		{"nothing at all", func(context.Context, toolscript.ExecRequest, func(toolscript.Event) error) error { return nil }, 500},
		{"a panic at once", func(context.Context, toolscript.ExecRequest, func(toolscript.Event) error) error { panic("early") }, 500},
		{"a start and no end", func(_ context.Context, _ toolscript.ExecRequest, emit func(toolscript.Event) error) error {
			return emit(start("r1"))
		}, 200},
		{"an error after the start", func(_ context.Context, _ toolscript.ExecRequest, emit func(toolscript.Event) error) error {
			return errors.Join(emit(start("r1")), errors.New("lost the worker"))
		}, 200},
		{"a panic after the start", func(_ context.Context, _ toolscript.ExecRequest, emit func(toolscript.Event) error) error {
			_ = emit(start("r1"))
			panic("late")
		}, 200},
		{"an event that JSON cannot hold", func(_ context.Context, _ toolscript.ExecRequest, emit func(toolscript.Event) error) error {
			return errors.Join(emit(start("r1")), emit(toolscript.EndEvent("r1", toolscript.End{Value: json.RawMessage(`{`)})))
		}, 200},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := serve(t, &fake{exec: tt.exec})
			got := l.ask(t, http.MethodPost, "/exec", `{"code":""}`)
			if got.status != tt.want {
				t.Fatalf("POST /exec = %d %s, want %d", got.status, got.body, tt.want)
			}
			if tt.want == 500 && got.kind() != toolscript.Internal {
				t.Errorf("body = %s, want kind internal", got.body)
			}
			if line := l.log.line(t, "route", "/exec"); line["level"] != "ERROR" || line["stack"] == nil {
				t.Errorf("log line = %v, want an error with a stack", line)
			}
			if tt.want != 200 {
				return
			}
			var last toolscript.Event
			lines := strings.Split(strings.TrimSpace(got.body), "\n")
			if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
				t.Fatalf("last line: %v", err)
			}
			if last.Type != toolscript.EventEnd || *last.OK || last.Kind != toolscript.Internal || last.ExitCode != 1 {
				t.Errorf("last line = %s, want the end of a failed run", lines[len(lines)-1])
			}
		})
	}
}

func TestExecRequest(t *testing.T) {
	requests := make(chan toolscript.ExecRequest, 1)
	l := serve(t, &fake{exec: func(_ context.Context, req toolscript.ExecRequest, emit func(toolscript.Event) error) error {
		requests <- req
		return errors.Join(emit(start("r1")), emit(toolscript.EndEvent("r1", toolscript.End{OK: true})))
	}})
	got := l.ask(t, http.MethodPost, "/exec", `{"code":"return 1","file":"a.ts","args":["x"],"cwd":"/w","tz":"UTC","engine":"quickjs","check":"warn","allow":["a"],"limits":{"timeoutMs":5},"stdin":true}`)
	if got.status != 200 {
		t.Fatalf("POST /exec = %d %s", got.status, got.body)
	}
	want := toolscript.ExecRequest{
		Code:   "return 1",
		File:   "a.ts",
		Args:   []string{"x"},
		Limits: toolscript.Limits{TimeoutMs: 5},
		Stdin:  true,
		Rules: toolscript.Rules{
			Client: "Go-http-client/1.1",
			Cwd:    "/w",
			TZ:     "UTC",
			Engine: "quickjs",
			Check:  "warn",
			Allow:  []string{"a"},
		},
	}
	if diff := cmp.Diff(want, kit.Receive(t, requests)); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

func TestBadExecRequests(t *testing.T) {
	l := serve(t, &fake{exec: func(context.Context, toolscript.ExecRequest, func(toolscript.Event) error) error {
		t.Error("a script was run")
		return nil
	}})
	for body, want := range map[string]struct {
		text  string
		paths []string // paths in the details of the error
	}{
		``:                                   {text: "empty"},
		`[]`:                                 {text: "array"},
		`{"code":"","codes":1}`:              {text: `"codes"`},
		`{"code":"","limits":{"timeout":1}}`: {text: `"timeout"`},
		`{}`:                                 {"/code", []string{"/code"}},
		`{"code":null}`:                      {"/code", []string{"/code"}},
		`{"code":7}`:                         {"/code", []string{"/code"}},
		`{"code":"","limits":{"cpuMs":"1"}}`: {"/limits/cpuMs", []string{"/limits/cpuMs"}},
		`{"code":"","check":"maybe","limits":{"timeoutMs":-1,"cpuMs":-1}}`: {
			"check", []string{"/check", "/limits/cpuMs", "/limits/timeoutMs"},
		},
	} {
		got := l.ask(t, http.MethodPost, "/exec", body)
		if got.status != 400 || got.kind() != toolscript.Invalid || !strings.Contains(got.failure().Error, want.text) {
			t.Errorf("%s = %d %s, want 400 with %q", body, got.status, got.body, want.text)
		}
		var paths []string
		for _, d := range got.failure().Details {
			paths = append(paths, d.Path)
		}
		if diff := cmp.Diff(want.paths, paths); diff != "" {
			t.Errorf("%s: paths (-want +got):\n%s", body, diff)
		}
	}
}

// TestClientOfLargeValues: the bytes of a value arrive unchanged, whatever their encoding.
func TestClientOfLargeValues(t *testing.T) {
	long := strings.Repeat(`{"value":"a \"value\":0 é\u2028 <&>","n":1.0},`, 5000)
	for _, value := range []string{`0`, `{"value":0}`, `[` + long + `0]`, `"` + strings.Repeat("x", 200_000) + `"`} {
		l := serve(t, &fake{exec: func(_ context.Context, _ toolscript.ExecRequest, emit func(toolscript.Event) error) error {
			return errors.Join(emit(start("r1")), emit(toolscript.EndEvent("r1", toolscript.End{OK: true, Value: json.RawMessage(value), Metrics: &toolscript.Metrics{ToolCalls: 7}})))
		}})
		var end toolscript.Event
		if err := l.client(t).Exec(t.Context(), toolscript.ExecRequest{Code: "x"}, func(e toolscript.Event) error {
			end = e
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if end.Type != toolscript.EventEnd || end.RunID != "r1" || !end.End.OK || end.Metrics.ToolCalls != 7 || string(end.Value) != value {
			t.Errorf("value of %d bytes: the end is %s %s %t with %d bytes", len(value), end.Type, end.RunID, end.End.OK, len(end.Value))
		}
	}
}
