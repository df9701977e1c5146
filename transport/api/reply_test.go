package api_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/api"
)

func TestReplyRun(t *testing.T) {
	got := make(chan toolscript.Answer, 1)
	l := serve(t, &fake{reply: func(_ context.Context, id string, a toolscript.Answer) error {
		if id != "r1" {
			return &toolscript.Error{Kind: toolscript.NotFound}
		}
		got <- a
		return nil
	}})
	client := api.NewClient(l.URL())
	t.Cleanup(client.Close)
	want := toolscript.Answer{ID: "ask_1", Action: toolscript.Accept, Content: []byte(`{"who":"Ann"}`)}
	if err := client.ReplyRun(t.Context(), "r1", want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, kit.Receive(t, got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := client.ReplyRun(t.Context(), "r2", want); toolscript.KindOf(err) != toolscript.NotFound {
		t.Errorf("error %v", err)
	}
	if answer := l.ask(t, http.MethodPost, "/runs/r1/reply", `{"answer":1}`); answer.status != http.StatusBadRequest {
		t.Errorf("%d %s", answer.status, answer.body)
	}
}
