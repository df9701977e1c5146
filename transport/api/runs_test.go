package api_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
)

func TestRuns(t *testing.T) {
	aborted := make(chan string, 1)
	none := &toolscript.Error{Kind: toolscript.NotFound, Err: errors.New("no run r9")}
	l := serve(t, &fake{
		runs: func(context.Context) ([]toolscript.RunRecord, error) {
			return []toolscript.RunRecord{{RunID: "r2", State: "running"}, {RunID: "r1", State: "ended"}}, nil
		},
		run: func(_ context.Context, id string) (toolscript.RunRecord, error) {
			if id != "r1" {
				return toolscript.RunRecord{}, none
			}
			return toolscript.RunRecord{RunID: "r1", State: "ended", File: "script.ts"}, nil
		},
		abortRun: func(_ context.Context, id string) error {
			if id != "r2" {
				return none
			}
			aborted <- id
			return nil
		},
	})
	const record = `{"runId":"r1","state":"ended","file":"script.ts","engine":"","check":"","startedAt":"0001-01-01T00:00:00Z","limits":{},"calls":[]}`
	if got := l.ask(t, http.MethodGet, "/runs/r1", ""); strings.TrimSpace(got.body) != record {
		t.Errorf("GET /runs/r1 = %s, want %s", got.body, record)
	}
	for _, r := range []struct{ method, path string }{{http.MethodGet, "/runs/r9"}, {http.MethodDelete, "/runs/r9"}} {
		if got := l.ask(t, r.method, r.path, ""); got.status != 404 || got.failure().Error != "no run r9" {
			t.Errorf("%s %s = %d %s", r.method, r.path, got.status, got.body)
		}
	}
	if got := l.ask(t, http.MethodDelete, "/runs/r2", ""); got.status != 204 || got.body != "" {
		t.Errorf("DELETE /runs/r2 = %d %q", got.status, got.body)
	}
	kit.Receive(t, aborted)

	c := l.client(t)
	runs, err := c.Runs(t.Context())
	if err != nil || len(runs) != 2 || runs[0].RunID != "r2" {
		t.Errorf("Runs = %v, %v", runs, err)
	}
	if run, err := c.Run(t.Context(), "r1"); err != nil || run.File != "script.ts" {
		t.Errorf("Run = %v, %v", run, err)
	}
	if err := c.AbortRun(t.Context(), "r9"); toolscript.KindOf(err) != toolscript.NotFound {
		t.Errorf("AbortRun of an unknown run = %v, want not_found", err)
	}
	if err := c.AbortRun(t.Context(), "r2"); err != nil {
		t.Errorf("AbortRun = %v", err)
	}
}

func TestRunOutput(t *testing.T) {
	asked := make(chan toolscript.OutputQuery, 1)
	l := serve(t, &fake{runOutput: func(_ context.Context, id string, q toolscript.OutputQuery) ([]byte, error) {
		if id != "r1" {
			return nil, &toolscript.Error{Kind: toolscript.NotFound, Err: errors.New("nothing is kept")}
		}
		asked <- q
		return []byte("the rest é"), nil
	}})
	for query, want := range map[string]toolscript.OutputQuery{
		"":                       {},
		"?range=5-9":             {From: 5, To: 10},
		"?range=5-&part=value":   {From: 5, Value: true},
		"?part=output&range=0-0": {To: 1},
	} {
		got := l.ask(t, http.MethodGet, "/runs/r1/output"+query, "")
		if diff := cmp.Diff(want, kit.Receive(t, asked)); diff != "" || got.status != 200 || got.body != "the rest é" {
			t.Errorf("GET output%s = %d %q (-want +got):\n%s", query, got.status, got.body, diff)
		}
	}
	for path, status := range map[string]int{
		"/runs/r1/output?range=9-5": 400, "/runs/r1/output?range=-5": 400, "/runs/r1/output?range=x": 400,
		"/runs/r1/output?range=5": 400, "/runs/r1/output?part=all": 400, "/runs/r2/output": 404,
	} {
		if got := l.ask(t, http.MethodGet, path, ""); got.status != status {
			t.Errorf("GET %s = %d %s, want %d", path, got.status, got.body, status)
		}
	}
	q := toolscript.OutputQuery{From: 3, To: 7, Value: true}
	kept, err := l.client(t).RunOutput(t.Context(), "r1", q)
	if got := kit.Receive(t, asked); string(kept) != "the rest é" || err != nil || got != q {
		t.Errorf("RunOutput = %q, %v, asked %+v, want %+v", kept, err, got, q)
	}
}

func TestStdin(t *testing.T) {
	type given struct {
		ID, Data string
		EOF      bool
		Error    string
	}
	pieces := make(chan given, 1)
	l := serve(t, &fake{giveStdin: func(_ context.Context, id string, p toolscript.StdinPiece) error {
		pieces <- given{id, string(p.Data), p.EOF, p.Error}
		return nil
	}})
	if got := l.ask(t, http.MethodPost, "/runs/r1/stdin", `{"data":"AP8K","eof":true}`); got.status != 204 || got.body != "" {
		t.Errorf("POST stdin = %d %q", got.status, got.body)
	}
	if diff := cmp.Diff(given{"r1", "\x00\xff\n", true, ""}, kit.Receive(t, pieces)); diff != "" {
		t.Errorf("stdin (-want +got):\n%s", diff)
	}
	asBytes := func(r *http.Request) { r.Header.Set("Content-Type", "application/octet-stream") }
	if got := ask(t, http.MethodPost, l.URL()+"/runs/r1/stdin?error=the+disk", strings.NewReader("\x00\xff\n"), asBytes); got.status != 204 {
		t.Errorf("POST stdin as bytes = %d %s", got.status, got.body)
	}
	if diff := cmp.Diff(given{"r1", "\x00\xff\n", false, "the disk"}, kit.Receive(t, pieces)); diff != "" {
		t.Errorf("stdin as bytes (-want +got):\n%s", diff)
	}
	if got := ask(t, http.MethodPost, l.URL()+"/runs/r1/stdin?eof=perhaps", strings.NewReader("x"), asBytes); got.status != 400 || got.kind() != toolscript.Invalid {
		t.Errorf("POST stdin as bytes with a wrong query = %d %s, want 400 invalid", got.status, got.body)
	}
	if got := ask(t, http.MethodPost, l.URL()+"/runs/r1/reply", strings.NewReader("x"), asBytes); got.status != 415 {
		t.Errorf("POST reply as bytes = %d %s, want 415", got.status, got.body)
	}
	for _, body := range []string{``, `[]`, `{"data":"not base64!"}`, `{"text":"x"}`, `{"eof":"yes"}`} {
		if got := l.ask(t, http.MethodPost, "/runs/r1/stdin", body); got.status != 400 || got.kind() != toolscript.Invalid {
			t.Errorf("POST stdin %q = %d %s, want 400 invalid", body, got.status, got.body)
		}
	}
}

// TestClientGivesStdinInPieces: the size of a request is limited, that of standard input is not.
func TestClientGivesStdinInPieces(t *testing.T) {
	var got strings.Builder
	var ends, pieces int
	l := serve(t, &fake{giveStdin: func(_ context.Context, _ string, p toolscript.StdinPiece) error {
		if ends > 0 {
			return &toolscript.Error{Kind: toolscript.Conflict, Err: errors.New("it has ended")}
		}
		pieces++
		got.Write(p.Data)
		if p.EOF {
			ends++
		}
		return nil
	}})
	want := strings.Repeat("0123456789abcdef", 160<<10) // 2.5 MB
	c := l.client(t)
	if err := c.GiveStdin(t.Context(), "r1", toolscript.StdinPiece{Data: []byte(want), EOF: true}); err != nil {
		t.Fatal(err)
	}
	if got.String() != want || ends != 1 || pieces != 3 {
		t.Errorf("got %d of %d bytes in %d pieces with %d ends, want 3 and 1", got.Len(), len(want), pieces, ends)
	}
	if err := c.GiveStdin(t.Context(), "r1", toolscript.StdinPiece{EOF: true}); toolscript.KindOf(err) != toolscript.Conflict {
		t.Errorf("GiveStdin after the end = %v, want conflict", err)
	}
}
