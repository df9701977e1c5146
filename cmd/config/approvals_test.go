package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/config"
)

const asking = `{"mcpServers": {}, "approvals": {"default": "ask-destructive", "timeout": "90s", "confirm": "terminal",
  "rules": [{"match": ["github", "files__write_*"], "action": "ask"}, {"match": ["*"], "action": "allow"}]}}`

var asked = toolscript.ApprovalPolicy{
	Default: toolscript.ApprovalAskDestructive, Timeout: 90 * time.Second,
	Rules: []toolscript.ApprovalRule{
		{Match: []string{"github", "files__write_*"}, Action: toolscript.ApprovalAsk},
		{Match: []string{"*"}, Action: toolscript.ApprovalAllow},
	},
}

// TestApprovalsAddUp: the approvals of the user and of the project both have effect. A project
// cannot switch off those of the user, and cannot choose where a code is shown.
func TestApprovalsAddUp(t *testing.T) {
	s := newScene(t)
	s.write(s.home, asking)
	s.write(s.project, `{"mcpServers": {}, "approvals": {"default": "allow", "rules": [{"match": ["*"], "action": "allow"}], "timeout": 5000, "confirm": "terminal"}}`)
	s.options.Trust = true
	c := s.load()
	if len(c.Settings.Approvals) != 2 {
		t.Fatalf("%d policies, want those of both files", len(c.Settings.Approvals))
	}
	if diff := cmp.Diff(asked, c.Settings.Approvals[0]); diff != "" {
		t.Errorf("the user's approvals (-want +got):\n%s", diff)
	}
	for id, want := range map[string]toolscript.ApprovalAction{
		"github__create_issue": toolscript.ApprovalAsk,
		"files__write_file":    toolscript.ApprovalAsk,
		"files__read_file":     toolscript.ApprovalAllow,
	} {
		server, name, _ := strings.Cut(id, toolscript.Separator)
		if got := c.Settings.Approvals.Decide(toolscript.Tool{Server: server, Name: name}); got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
	if got := c.Settings.Approvals.Timeout(); got != 5*time.Second {
		t.Errorf("timeout = %s, want the shorter one", got)
	}
	if !c.Settings.ConfirmAtTerminal {
		t.Error("the user's confirm has no effect")
	}
	if !strings.Contains(strings.Join(c.Warnings, "\n"), "approvals.confirm: has an effect in ~/.toolscript.json alone") {
		t.Errorf("warnings %q do not say that the project's confirm has no effect", c.Warnings)
	}
	s.write(s.project, `{"mcpServers": {}, "approvals": {"default": "allow"}}`)
	if !s.load().Settings.ConfirmAtTerminal {
		t.Error("approvals of a project without confirm change the user's confirm")
	}
}

// TestConfirmOfAProject: only the user's file chooses where a code is shown.
func TestConfirmOfAProject(t *testing.T) {
	s := newScene(t)
	s.write(s.project, asking)
	s.options.Trust = true
	if c := s.load(); c.Settings.ConfirmAtTerminal || len(c.Settings.Approvals) != 2 {
		t.Errorf("confirm = %v with %d policies, want false with that of the project and that of no file", c.Settings.ConfirmAtTerminal, len(c.Settings.Approvals))
	}
}

// TestConfirmAtClient: only the user's file lets an MCP client confirm without a code, even if
// a named file replaces the user's servers.
func TestConfirmAtClient(t *testing.T) {
	const (
		client = `{"mcpServers": {}, "approvals": {"default": "ask", "confirm": "client"}}`
		other  = `{"mcpServers": {}}`
	)
	for _, test := range []struct {
		user, project, named string
		want                 bool
	}{
		{user: client, want: true},
		{user: client, project: other, want: true},
		{user: client, named: other, want: true},
		{user: other, project: client},
		{user: other, named: client},
		{project: client},
		{user: asking, project: client},
	} {
		s := newScene(t)
		s.options.Trust = true
		s.layout(test.user, test.project, test.named)
		if c := s.load(); c.Settings.ConfirmAtClient != test.want {
			t.Errorf("%+v: %v", test, c.Settings.ConfirmAtClient)
		}
	}
}

// TestOnlyTheUserAllowsBuiltinTools: a tool that requires an approval is asked about unless the
// user's file allows it. A project's file or a named file cannot allow it.
func TestOnlyTheUserAllowsBuiltinTools(t *testing.T) {
	const allows = `{"mcpServers": {}, "approvals": {"default": "allow", "rules": [{"match": ["*"], "action": "allow"}]}}`
	exec := toolscript.Tool{Server: "workspace", Name: "exec", RequiresApproval: true}
	plain := toolscript.Tool{Server: "files", Name: "write"}
	for _, test := range []struct {
		user, project, named string
		want                 toolscript.ApprovalAction
	}{
		{"", "", "", toolscript.ApprovalAsk},
		{allows, "", "", toolscript.ApprovalAllow},
		{"", allows, "", toolscript.ApprovalAsk},
		{`{"mcpServers": {}}`, allows, "", toolscript.ApprovalAsk},
		{allows, allows, "", toolscript.ApprovalAllow},
		{"", "", allows, toolscript.ApprovalAsk},
		{allows, "", allows, toolscript.ApprovalAllow},
		{`{"mcpServers": {}, "approvals": {"rules": [{"match": ["workspace__exec"], "action": "allow"}]}}`, "", "", toolscript.ApprovalAllow},
	} {
		s := newScene(t)
		s.options.Trust = true
		s.layout(test.user, test.project, test.named)
		approvals := s.load().Settings.Approvals
		if got := approvals.Decide(exec); got != test.want {
			t.Errorf("user %q, project %q, named %q: %s, want %s", test.user, test.project, test.named, got, test.want)
		}
		if got := approvals.Decide(plain); got != toolscript.ApprovalAllow {
			t.Errorf("user %q, project %q, named %q: a tool of an MCP server: %s", test.user, test.project, test.named, got)
		}
	}
}

// TestApprovalsOfAnUntrustedProject: the approvals of an untrusted project have no effect.
func TestApprovalsOfAnUntrustedProject(t *testing.T) {
	s := newScene(t)
	s.write(s.project, asking)
	if c := s.load(); len(c.Settings.Approvals) != 0 || len(c.Warnings) == 0 {
		t.Errorf("%d policies with warnings %q, want none with a warning", len(c.Settings.Approvals), c.Warnings)
	}
}

// TestNamedFilesKeepTheUsersApprovals: --config replaces the user's servers, but not the user's approvals.
func TestNamedFilesKeepTheUsersApprovals(t *testing.T) {
	s := newScene(t)
	s.layout(asking, "", `{"mcpServers": {}, "approvals": {"default": "allow"}}`)
	c := s.load()
	if len(c.Settings.Approvals) != 2 || !c.Settings.ConfirmAtTerminal {
		t.Fatalf("%d policies, confirm %v; want those of both files", len(c.Settings.Approvals), c.Settings.ConfirmAtTerminal)
	}
	if got := c.Settings.Approvals.Decide(toolscript.Tool{Server: "github", Name: "x"}); got != toolscript.ApprovalAsk {
		t.Errorf("a tool that the user wants to approve: %s", got)
	}
	s.write(s.home, `{"mcpServers": {}, "approvals": {"default": "maybe"}}`)
	if _, err := config.Load(s.options); err == nil {
		t.Error("approvals that cannot be read are ignored")
	}
}

func TestWrongApprovals(t *testing.T) {
	for text, want := range map[string]string{
		`{"default": "never"}`:                                   "approvals.default",
		`{"rules": [{"match": ["x"]}]}`:                          "approvals.rules[0]",
		`{"rules": [{"match": [], "action": "ask"}]}`:            "approvals.rules[0].match",
		`{"rules": [{"match": ["${X}"], "action": "ask"}]}`:      "variables are not expanded here",
		`{"rules": [{"match": ["x"], "action": "${ACTION}"}]}`:   "approvals.rules[0].action",
		`{"rules": [{"match": ["pack:none"], "action": "ask"}]}`: `there is no tool pack "none"; the packs are: all, `,
		`{"timeout": 0}`:     "approvals.timeout",
		`{"confirm": "web"}`: "approvals.confirm",
	} {
		s := newScene(t)
		s.write(s.home, `{"mcpServers": {}, "approvals": `+text+`}`)
		if _, err := config.Load(s.options); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestPacksInApprovals: a pack stands for its tools. A project's file cannot change a pack that
// the user's approvals name.
func TestPacksInApprovals(t *testing.T) {
	s := newScene(t)
	s.options.Trust = true
	s.write(s.home, `{"mcpServers": {}, "toolPacks": {"mine": {"extends": ["research"], "tools": ["github__create_issue"]}},
		"approvals": {"rules": [{"match": ["pack:mine"], "action": "deny"}, {"match": ["x", "pack:all"], "action": "ask"}]}}`)
	s.write(s.project, `{"mcpServers": {}, "toolPacks": {"mine": {"tools": ["readFile"]}}}`)
	approvals := s.load().Settings.Approvals
	for _, test := range []struct {
		tool toolscript.Tool
		want toolscript.ApprovalAction
	}{
		{toolscript.Tool{Server: "w", Name: "fetchUrl", InProcess: true}, toolscript.ApprovalDeny},
		{toolscript.Tool{Server: "w", Name: "fetchUrl"}, toolscript.ApprovalAsk},
		{toolscript.Tool{Server: "github", Name: "create_issue"}, toolscript.ApprovalDeny},
		{toolscript.Tool{Server: "w", Name: "readFile", InProcess: true}, toolscript.ApprovalAsk},
	} {
		if got := approvals.Decide(test.tool); got != test.want {
			t.Errorf("%s: %s, want %s", test.tool.ID(), got, test.want)
		}
	}
}
