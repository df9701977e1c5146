package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/api"
)

func TestApprovals(t *testing.T) {
	now := time.Now().UTC().Round(0)
	want := []toolscript.Approval{{ID: "apr_1", Run: "r1", CallID: "c1", Tool: "files__write", Args: `{"a":1}`, Since: now, Expires: now.Add(time.Minute)}}
	type given struct {
		ID       string
		Answer   toolscript.ApprovalAnswer
		Approver bool
	}
	var got given
	f := &fake{runOf: map[string]string{"capability-of-a-run-000000": "r1"}, approve: func(id string, a toolscript.ApprovalAnswer, approver bool) error {
		got = given{id, a, approver}
		if id != "apr_1" {
			return &toolscript.Error{Kind: toolscript.NotFound}
		}
		return nil
	}}
	secret := api.NewToken()
	l := serve(t, f, func(o *api.Options) { o.Approver = secret })
	client := l.client(t)
	if all, err := client.PendingApprovals(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("PendingApprovals = %v, %v, want none", all, err)
	}
	f.approvals = want
	all, err := client.PendingApprovals(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("PendingApprovals (-want +got):\n%s", diff)
	}
	if whole, err := client.PendingApproval(t.Context(), "apr_1"); err != nil || whole.Args != `{"a":1} in full` {
		t.Errorf("PendingApproval = %+v, %v", whole, err)
	}
	if _, err := client.PendingApproval(t.Context(), "apr_9"); toolscript.KindOf(err) != toolscript.NotFound {
		t.Errorf("an unknown request: %v", err)
	}
	allow := toolscript.ApprovalAnswer{Action: toolscript.ApprovalAllow, Scope: toolscript.ScopeRun, Code: "ABCDEF"}
	if err := client.AnswerApproval(t.Context(), "apr_1", allow); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(given{"apr_1", allow, false}, got); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
	if err := client.AnswerApproval(t.Context(), "apr_2", allow); toolscript.KindOf(err) != toolscript.NotFound {
		t.Errorf("an unknown request: %v", err)
	}
	if err := client.ConfirmApproval(t.Context(), "apr_1", 77); err != nil || got.Answer.Code != "77" {
		t.Errorf("ConfirmApproval: %v, %+v", err, got)
	}
	const body = `{"action":"allow"}`
	got = given{}
	if a := l.ask(t, http.MethodPost, "/approvals/apr_1", body, header("Toolscript-Approver", secret)); a.status != http.StatusNoContent || !got.Approver {
		t.Errorf("the secret of an approver: %d %s, approver %v", a.status, a.body, got.Approver)
	}
	for what, wrong := range map[string]string{"a wrong secret": api.NewToken(), "the capability of the gateway": l.token, "the capability of a run": "capability-of-a-run-000000"} {
		got = given{}
		a := l.ask(t, http.MethodPost, "/approvals/apr_1", body, header("Toolscript-Approver", wrong))
		if a.kind() != toolscript.Forbidden || got.ID != "" {
			t.Errorf("%s: %d %s", what, a.status, a.body)
		}
	}
	if strings.Contains(l.log.String(), secret) {
		t.Errorf("the log has the secret of approvers:\n%s", l.log.String())
	}
}

// TestNoApprover: if the gateway has no approver secret, no header makes a request an approver's.
func TestNoApprover(t *testing.T) {
	l := serve(t, &fake{approve: func(_ string, _ toolscript.ApprovalAnswer, approver bool) error {
		t.Errorf("an answer with approver %v arrived", approver)
		return nil
	}})
	if a := l.ask(t, http.MethodPost, "/approvals/apr_1", `{"action":"allow"}`, header("Toolscript-Approver", "x")); a.kind() != toolscript.Forbidden {
		t.Errorf("%d %s", a.status, a.body)
	}
}
