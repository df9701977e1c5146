package toolscript_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
)

func TestCutAccount(t *testing.T) {
	for name, want := range map[string][3]string{
		"github":             {"github", "", "github"},
		"github@work":        {"github", "work", "github"},
		"@scope/server":      {"@scope/server", "", "@scope/server"},
		"@scope/server@work": {"@scope/server", "work", "@scope/server"},
		"@":                  {"@", "", "@"},
		"":                   {"", "", ""},
	} {
		server, account := toolscript.CutAccount(name)
		if got := [3]string{server, account, toolscript.WithoutAccount(name)}; got != want {
			t.Errorf("%q = %q, want %q", name, got, want)
		}
	}
	for id, want := range map[string]string{"a@b__c": "a__c", "a__c": "a__c", "a__c@d": "a__c@d", "a@b__c@d": "a__c@d"} {
		if got := toolscript.WithoutAccount(id); got != want {
			t.Errorf("WithoutAccount(%q) = %q, want %q", id, got, want)
		}
	}
}

// TestAccountsInFilters: an entry without an account selects all accounts, and an entry with an account
// selects only that account. All methods of Filter agree.
func TestAccountsInFilters(t *testing.T) {
	work := toolscript.Tool{Server: "github@work", Name: "get"}
	home := toolscript.Tool{Server: "github@home", Name: "get"}
	other := toolscript.Tool{Server: "gitlab", Name: "get"}
	for entry, want := range map[string][3]bool{
		"github": {true, true, false}, "github__get": {true, true, false}, "git*": {true, true, true}, "git?ub": {true, true, false},
		"github__g*": {true, true, false}, "*__get": {true, true, true}, "github@work": {true, false, false}, "github@home__get": {false, true, false},
		"*@home": {false, true, false}, "github@*__get": {true, true, false}, "github@": {}, "hub@work": {}, "github@other": {},
	} {
		f := toolscript.Filter{entry}
		for i, tool := range []toolscript.Tool{work, home, other} {
			asked := map[string]bool{
				"Match": f.Match(tool), "Matcher": f.Matcher().Match(tool.Server, tool.ID()), "Covers": f.Covers(tool.ID()),
			}
			rule := toolscript.Approvals{{Rules: []toolscript.ApprovalRule{{Match: f, Action: toolscript.ApprovalDeny}}}}
			asked["approvals"] = rule.Decide(tool) == toolscript.ApprovalDeny
			for question, got := range asked {
				if got != want[i] {
					t.Errorf("%s: %s of %s = %v", entry, question, tool.ID(), got)
				}
			}
			if want[i] && (!f.Reaches(tool.Server) || !f.SharesServer(tool.ID())) {
				t.Errorf("%s does not reach %s", entry, tool.Server)
			}
			for _, with := range []toolscript.Filter{{"github"}, {"github@work"}, {"github__get"}, {"github@w*"}, {"*@work"}, {"*"}, {"github__*"}} {
				if got := f.And(with).Match(tool); got != (want[i] && with.Match(tool)) {
					t.Errorf("%s and %s: Match of %s = %v", entry, with, tool.ID(), got)
				}
			}
		}
	}
	if !home.Is("github__get") || !home.Is("github@home__get") || home.Is("github@work__get") {
		t.Error("an entry of a pack means the wrong account")
	}
}

// TestAccountsInCatalogs: the accounts keep their order, and a listing has each tool once.
func TestAccountsInCatalogs(t *testing.T) {
	servers := []string{"z", "github@work", "github@home", "a"}
	c := toolscript.NewCatalog(1, servers, []toolscript.Tool{
		{Server: "github@home", Name: "get"}, {Server: "github@home", Name: "only"}, {Server: "github@work", Name: "get"}, {Server: "a", Name: "get"},
	})
	if diff := cmp.Diff([]string{"a", "github@work", "github@home", "z"}, c.Servers()); diff != "" {
		t.Errorf("servers (-want +got):\n%s", diff)
	}
	if again := toolscript.NewCatalog(2, c.Servers(), nil); !cmp.Equal(again.Servers(), c.Servers()) {
		t.Errorf("servers of the next catalog = %q", again.Servers())
	}
	for _, name := range []string{"github", "github@work", "github@home"} {
		if got := c.Accounts(name); !cmp.Equal(got, []string{"work", "home"}) || !c.HasServer(name) {
			t.Errorf("accounts of %s = %q", name, got)
		}
	}
	if c.Accounts("a") != nil || c.HasServer("github@other") {
		t.Error("a server has accounts that are not configured")
	}
	listed := func(c toolscript.Catalog) (ids []string) {
		for id := range c.OneAccount().All() {
			ids = append(ids, id)
		}
		return ids
	}
	if diff := cmp.Diff([]string{"a__get", "github@home__only", "github@work__get"}, listed(c)); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"github@home__get", "github@home__only"}, listed(c.Filter(toolscript.Filter{"github@home"}))); diff != "" {
		t.Errorf("listed of one account (-want +got):\n%s", diff)
	}
}
