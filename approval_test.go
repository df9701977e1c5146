package toolscript_test

import (
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
)

// TestDecide: the first rule that matches decides in one policy, and the strictest
// decision of all policies counts.
func TestDecide(t *testing.T) {
	yes, no := true, false
	plain := toolscript.Tool{Server: "files", Name: "write_file"}
	reads := toolscript.Tool{Server: "files", Name: "read_file", Annotations: toolscript.Annotations{ReadOnly: &yes}}
	gentle := toolscript.Tool{Server: "files", Name: "touch", Annotations: toolscript.Annotations{ReadOnly: &no, Destructive: &no}}
	destructive := toolscript.Tool{Server: "files", Name: "rm", Annotations: toolscript.Annotations{Destructive: &yes}}
	builtin := toolscript.Tool{Server: "workspace", Name: "writeFile", RequiresApproval: true}
	const allow, ask, deny, careful = toolscript.ApprovalAllow, toolscript.ApprovalAsk, toolscript.ApprovalDeny, toolscript.ApprovalAskDestructive
	rule := func(action toolscript.ApprovalAction, match ...string) toolscript.ApprovalRule {
		return toolscript.ApprovalRule{Match: match, Action: action}
	}
	policy := func(of toolscript.ApprovalAction, rules ...toolscript.ApprovalRule) toolscript.ApprovalPolicy {
		return toolscript.ApprovalPolicy{Default: of, Rules: rules}
	}
	for _, test := range []struct {
		name     string
		policies toolscript.Approvals
		tool     toolscript.Tool
		want     toolscript.ApprovalAction
	}{
		{"nothing is configured", nil, plain, allow},
		{"no default", toolscript.Approvals{policy("")}, plain, allow},
		{"a default", toolscript.Approvals{policy(ask)}, plain, ask},
		{"a server", toolscript.Approvals{policy("", rule(ask, "files"))}, plain, ask},
		{"a pattern of ids", toolscript.Approvals{policy("", rule(deny, "x", "files__write_*"))}, plain, deny},
		{"a pattern that matches a part only", toolscript.Approvals{policy("", rule(deny, "write_*"))}, plain, allow},
		{"the first rule decides", toolscript.Approvals{policy(deny, rule(allow, "files__write_file"), rule(ask, "files"))}, plain, allow},
		{"a missing hint counts as destructive", toolscript.Approvals{policy(careful)}, plain, ask},
		{"a hint that it is destructive", toolscript.Approvals{policy(careful)}, destructive, ask},
		{"a hint that it reads", toolscript.Approvals{policy(careful)}, reads, allow},
		{"a hint that it is not destructive", toolscript.Approvals{policy(careful)}, gentle, allow},
		{"a tool that requires it, without approvals", nil, builtin, ask},
		{"a tool that requires it, without a default", toolscript.Approvals{policy("")}, builtin, ask},
		{"a tool that requires it, ask-destructive", toolscript.Approvals{policy(careful)}, builtin, ask},
		{"a tool that requires it, default allow", toolscript.Approvals{policy(allow)}, builtin, allow},
		{"a tool that requires it, allowed by a rule", toolscript.Approvals{policy("", rule(allow, "workspace"))}, builtin, allow},
		{"a pack has the tool", toolscript.Approvals{{Rules: []toolscript.ApprovalRule{{Tools: []string{"writeFile"}, Action: deny}}}}, toolscript.Tool{Server: "w", Name: "writeFile", InProcess: true}, deny},
		{"a pack has the name of a tool of a server", toolscript.Approvals{{Rules: []toolscript.ApprovalRule{{Tools: []string{"write_file"}, Action: deny}}}}, plain, allow},
		{"a pack has the id of a tool of a server", toolscript.Approvals{{Rules: []toolscript.ApprovalRule{{Tools: []string{"files__write_file"}, Action: deny}}}}, plain, deny},
		{"a later file is weaker", toolscript.Approvals{policy(ask), policy(allow, rule(allow, "*"))}, plain, ask},
		{"a later file is stricter", toolscript.Approvals{policy(allow), policy(ask)}, plain, ask},
		{"one file denies", toolscript.Approvals{policy(deny), policy(ask)}, plain, deny},
	} {
		if got := test.policies.Decide(test.tool); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
		if test.want == ask && !test.tool.RequiresApproval && !test.policies.Asks() {
			t.Errorf("%s: Asks is false", test.name)
		}
	}
	for name, never := range map[string]toolscript.Approvals{
		"nothing": nil, "allow": {policy(allow, rule(deny, "*"))}, "deny": {policy(deny), policy("", rule(allow, "files"))},
	} {
		if never.Asks() {
			t.Errorf("%s: Asks is true", name)
		}
	}
}

func TestApprovalTimeout(t *testing.T) {
	for _, test := range []struct {
		policies toolscript.Approvals
		want     time.Duration
	}{
		{nil, time.Minute},
		{toolscript.Approvals{{}, {Timeout: time.Hour}}, time.Hour},
		{toolscript.Approvals{{Timeout: time.Second}, {Timeout: time.Hour}}, time.Second},
	} {
		if got := test.policies.Timeout(); got != test.want {
			t.Errorf("%v: %s, want %s", test.policies, got, test.want)
		}
	}
}

func TestApprovalAnswerValidate(t *testing.T) {
	for _, test := range []struct {
		answer toolscript.ApprovalAnswer
		want   string
	}{
		{toolscript.ApprovalAnswer{Action: "allow"}, ""},
		{toolscript.ApprovalAnswer{Action: "deny", Reason: "no"}, ""},
		{toolscript.ApprovalAnswer{Action: "allow", Scope: "always"}, ""},
		{toolscript.ApprovalAnswer{}, "action must be"},
		{toolscript.ApprovalAnswer{Action: "ask"}, "action must be"},
		{toolscript.ApprovalAnswer{Action: "allow", Scope: "forever"}, "scope must be"},
		{toolscript.ApprovalAnswer{Action: "deny", Reason: strings.Repeat("x", 2001)}, "reason must"},
	} {
		err := test.answer.Validate()
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %q", test.answer, err, test.want)
		}
	}
}
