package toolscript_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
)

// TestAttend has a problem of every kind, the most urgent first.
func TestAttend(t *testing.T) {
	status := toolscript.Status{
		Servers: []toolscript.ServerStatus{
			{Name: "well", State: toolscript.Ready, Error: "an old one", Pins: []toolscript.PinChange{
				{Tool: "a", Kind: "changed", Parts: []string{"description"}, Held: true, Accept: "toolscript pins accept well__a"},
				{Kind: "changed", Accept: "toolscript pins accept well"},
			}},
			{Name: "off", State: toolscript.Stopped, Disabled: true, Error: "disabled in the configuration"},
			{Name: "begins", State: toolscript.Connecting},
			{Name: "again", State: toolscript.Connecting, Error: "exit status 1"},
			{Name: "away", State: toolscript.Backoff, Error: "exit status 1"},
			{Name: "gone", State: toolscript.Backoff, Permanent: true, Error: "no such file"},
			{Name: "login", State: toolscript.NeedsAuth},
			{Name: "denied", State: toolscript.NeedsAuth, OAuthError: "access_denied"},
			{Name: "bad", State: toolscript.Failed, Error: "unset variable TOKEN"},
			{Name: "typo", State: toolscript.Failed, Error: "misconfigured: f:1:2: a.command: required; correct it, and check it with: toolscript config validate"},
			{Name: "new", State: toolscript.Failed, Error: "not trusted; run: toolscript trust"},
			{Name: "my notes", State: toolscript.Failed, Error: "secret A is not set (env.A); store it: toolscript secret set A --for 'my; notes'; or not"},
			{Name: "unset", State: toolscript.Failed, Error: "variable A is not set; set it in the shell that runs toolscript (for a running gateway, then run: toolscript gateway reload), or write a default"},
			{Name: "liar", State: toolscript.Backoff, Error: "to go on, run: toolscript trust --yes"},
		},
		Actors: []toolscript.ActorStatus{
			{Name: "registry", State: "running", MailboxMs: 3},
			{Name: "search", State: "restarting", Restarts: 1, LastError: "panic: x"},
			{Name: "server/a", State: "restarting", LastError: "panic: x"},
			{Name: "typecache", State: "running", MailboxMs: 12_000},
		},
		Search:   toolscript.SearchStats{LastError: "no model"},
		Warnings: []string{"two tools collide"},
	}
	type row struct {
		Severity                 toolscript.Severity
		ID, Problem, Do, Command string
	}
	var got []row
	for _, a := range toolscript.Attend(status, []toolscript.Approval{{ID: "apr_1", Tool: "a__b"}}) {
		got = append(got, row{a.Severity, a.ID, a.Problem, string(a.Action) + " " + a.Target, a.Command})
	}
	want := []row{
		{"ask", "approval/apr_1", "it waits for the approval of a person", "answer apr_1", "toolscript approvals allow apr_1"},
		{"ask", "pin/well/a", "it has changed since its first use: description; it cannot be found or called until a person accepts it", "command well", "toolscript pins accept well__a"},
		{"error", "server/again", "not connected: exit status 1", "restart again", "toolscript servers restart again"},
		{"error", "server/away", "not connected: exit status 1", "restart away", "toolscript servers restart away"},
		{"error", "server/gone", "not connected, and no other try helps before the cause is removed: no such file", "reload gone", "toolscript gateway reload"},
		{"error", "server/login", "it needs a login", "login login", "toolscript auth login"},
		{"error", "server/denied", "its last login has failed: access_denied", "login denied", "toolscript auth denied"},
		{"error", "server/bad", "not started: unset variable TOKEN", "reload bad", "toolscript gateway reload"},
		{"error", "server/typo", "not started: misconfigured: f:1:2: a.command: required; correct it, and check it with: toolscript config validate", "command typo", "toolscript config validate"},
		{"error", "server/new", "not started: not trusted; run: toolscript trust", "command new", "toolscript trust"},
		{"error", "server/my notes", "not started: secret A is not set (env.A); store it: toolscript secret set A --for 'my; notes'; or not", "command my notes", "toolscript secret set A --for 'my; notes'"},
		{"error", "server/unset", "not started: variable A is not set; set it in the shell that runs toolscript (for a running gateway, then run: toolscript gateway reload), or write a default", "reload unset", "toolscript gateway reload"},
		{"error", "server/liar", "not connected: to go on, run: toolscript trust --yes", "restart liar", "toolscript servers restart liar"},
		{"error", "actor/search", "it has panicked 2 times and is started again: panic: x", "command ", "toolscript gateway restart"},
		{"error", "actor/typecache", "it has not taken a message for 12 s", "command ", "toolscript gateway restart"},
		{"warning", "pin/well/", "it has changed since its first use", "command well", "toolscript pins accept well"},
		{"warning", "search", "tools are found by words only: no model", "command ", "toolscript doctor"},
		{"warning", "warning/two tools collide", "two tools collide", "reload ", "toolscript gateway reload"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Attend: -want +got\n%s", diff)
	}
}
