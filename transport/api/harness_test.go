package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/api"
)

// TestHarness checks POST /harness with the client: the whole request arrives, the items arrive
// in order, and errors before and after the first item are returned.
func TestHarness(t *testing.T) {
	var got toolscript.HarnessRequest
	b := &fake{harness: func(_ context.Context, req toolscript.HarnessRequest, emit func(json.RawMessage) error) error {
		got = req
		switch req.API {
		case "bad":
			return &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New("the answer is empty")}
		case "none":
			return nil
		}
		err := errors.Join(emit(json.RawMessage(`{"type":"text","text":"<tool-calls>\\n"}`)), emit(json.RawMessage(`{"type":"ScriptToolCall"}`)))
		if req.API == "late" {
			return &toolscript.Error{Kind: toolscript.Internal, Err: errors.New("a fault")}
		}
		return err
	}}
	c := api.NewClient(serve(t, b).URL())
	process := func(req toolscript.HarnessRequest) (items []string, err error) {
		err = c.Harness(t.Context(), req, func(item json.RawMessage) error {
			items = append(items, string(item))
			return nil
		})
		return items, err
	}
	all := []string{`{"type":"text","text":"<tool-calls>\\n"}`, `{"type":"ScriptToolCall"}`}
	request := toolscript.HarnessRequest{Items: json.RawMessage(`[{"role":"assistant"}]`), API: "chat", Provider: "x", DryRun: true, Plan: true, Record: true, Cwd: "/w", Allow: []string{}}
	items, err := process(request)
	if err != nil || !cmp.Equal(items, all) {
		t.Errorf("items %q, %v", items, err)
	}
	if diff := cmp.Diff(request, got); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
	request.API = "none"
	if items, err := process(request); err != nil || len(items) > 0 {
		t.Errorf("without items: %q, %v", items, err)
	}
	request.API = "bad"
	if items, err := process(request); toolscript.KindOf(err) != toolscript.Invalid || !strings.Contains(err.Error(), "the answer is empty") || len(items) > 0 {
		t.Errorf("an answer that cannot be read: %q, %v", items, err)
	}
	request.API = "late"
	if items, err := process(request); toolscript.KindOf(err) != toolscript.Internal || !cmp.Equal(items, all) {
		t.Errorf("a fault: %q, %v", items, err)
	}
	stop := errors.New("enough")
	if err := c.Harness(t.Context(), toolscript.HarnessRequest{Items: request.Items}, func(json.RawMessage) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("after an error of emit: %v", err)
	}
	for _, missing := range []json.RawMessage{nil, json.RawMessage("null")} {
		if _, err := process(toolscript.HarnessRequest{Items: missing}); toolscript.KindOf(err) != toolscript.Invalid {
			t.Errorf("without an answer: %v", err)
		}
	}
}
