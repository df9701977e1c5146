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

func TestDetach(t *testing.T) {
	asked := make(chan toolscript.ExecRequest, 1)
	l := serve(t, &fake{detach: func(_ context.Context, req toolscript.ExecRequest) (string, error) {
		if req.Code == "full" {
			return "", &toolscript.Error{Kind: toolscript.Busy, Err: errors.New("16 detached runs have not ended")}
		}
		asked <- req
		return "run_1", nil
	}})
	got := l.ask(t, http.MethodPost, "/runs", `{"code": "return 1", "args": ["a"]}`)
	if req := kit.Receive(t, asked); got.status != http.StatusCreated || got.body != `{"runId":"run_1"}`+"\n" || req.Code != "return 1" || req.Client == "" {
		t.Errorf("POST /runs = %d %q, asked %+v", got.status, got.body, req)
	}
	for body, status := range map[string]int{`{}`: 400, `{"code": 1}`: 400, `{"code": "full"}`: 429, `{"code": "", "check": "perhaps"}`: 400} {
		if got := l.ask(t, http.MethodPost, "/runs", body); got.status != status {
			t.Errorf("POST /runs %s = %d %s, want %d", body, got.status, got.body, status)
		}
	}
	c := l.client(t)
	if id, err := c.Detach(t.Context(), toolscript.ExecRequest{Code: "return 2"}); id != "run_1" || err != nil {
		t.Errorf("Detach = %q, %v", id, err)
	}
	if req := kit.Receive(t, asked); req.Code != "return 2" {
		t.Errorf("asked %+v", req)
	}
	if _, err := c.Detach(t.Context(), toolscript.ExecRequest{Code: "full"}); toolscript.KindOf(err) != toolscript.Busy {
		t.Errorf("Detach = %v, want busy", err)
	}
}

// TestRunEvents reads the events of an ended run and of a run in progress.
func TestRunEvents(t *testing.T) {
	end := toolscript.EndEvent("ended", toolscript.End{OK: true, Value: []byte(`"é"`)})
	l := serve(t, &fake{runEvents: func(ctx context.Context, id string, wait bool, emit func(toolscript.Event) error) error {
		events := []toolscript.Event{{Type: toolscript.EventStart, RunID: id}, {Type: toolscript.EventStdout, Data: "a\n"}}
		switch id {
		case "none":
			return &toolscript.Error{Kind: toolscript.NotFound, Err: errors.New("there are no events")}
		case "ended":
			events = append(events, end)
		}
		for _, e := range events {
			if err := emit(e); err != nil {
				return err
			}
		}
		if id == "live" && wait {
			<-ctx.Done()
			return toolscript.ContextError(ctx)
		}
		return nil
	}})
	c := l.client(t)
	for _, tt := range []struct {
		id   string
		wait bool
		want string
	}{{"ended", true, "start stdout end"}, {"ended", false, "start stdout end"}, {"live", false, "start stdout"}} {
		var types []string
		err := c.RunEvents(t.Context(), tt.id, tt.wait, func(e toolscript.Event) error {
			types = append(types, string(e.Type))
			if e.End != nil {
				if diff := cmp.Diff(end.End, e.End); diff != "" {
					t.Errorf("end (-want +got):\n%s", diff)
				}
			}
			return nil
		})
		if got := strings.Join(types, " "); got != tt.want || err != nil {
			t.Errorf("RunEvents(%s, %v) = %s, %v, want %s", tt.id, tt.wait, got, err, tt.want)
		}
	}
	for _, wait := range []bool{false, true} {
		if err := c.RunEvents(t.Context(), "none", wait, nil); toolscript.KindOf(err) != toolscript.NotFound {
			t.Errorf("RunEvents(none, %v) = %v, want not_found", wait, err)
		}
		wrong := errors.New("closed")
		if err := c.RunEvents(t.Context(), "live", wait, func(toolscript.Event) error { return wrong }); !errors.Is(err, wrong) {
			t.Errorf("RunEvents(live, %v) = %v, want the error of emit", wait, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := c.RunEvents(ctx, "live", true, func(e toolscript.Event) error {
		if e.Type == toolscript.EventStdout {
			cancel()
		}
		return nil
	})
	if err == nil || ctx.Err() == nil {
		t.Errorf("RunEvents after the end of its context = %v", err)
	}
	if got := l.ask(t, http.MethodGet, "/runs/ended/events?wait=perhaps", ""); got.status != 400 {
		t.Errorf("wait=perhaps: %d %s", got.status, got.body)
	}
}
