package naming_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
)

// accounts returns the names of a server with the accounts work and home, and of another server.
func accounts(servers ...string) *naming.Names {
	return naming.New(toolscript.NewCatalog(1, append(servers, "other"), []toolscript.Tool{
		tool("github@work", "create_issue"), tool("github@work", "get-it"), tool("github@work", "get_it"),
		tool("github@home", "create_issue"), tool("github@home", "only"), tool("other", "get"),
	}))
}

// TestNamesOfAccounts: all accounts of a server have the same names. Neither the order of the accounts
// nor an additional account changes the names.
func TestNamesOfAccounts(t *testing.T) {
	n := accounts("github@work", "github@home", "github@new")
	work, _ := n.ByName("github@work")
	home, _ := n.ByName("github@home")
	added, _ := n.ByName("github@new")
	if work.Ident != "github" || work.Further() || home.Ident != "github@home" || !home.Further() || work.Type != home.Type {
		t.Errorf("work is %q, home is %q", work.Ident, home.Ident)
	}
	if diff := cmp.Diff([]string{"github@work", "github@home", "github@new"}, home.All()); diff != "" {
		t.Errorf("accounts (-want +got):\n%s", diff)
	}
	for i, named := range work.Tools {
		other, further := home.Tools[i], added.Tools[i]
		other.ID, further.ID = named.ID, named.ID
		if named != other || named != further {
			t.Errorf("%+v is %+v of another account", named, home.Tools[i])
		}
	}
	plain := naming.New(toolscript.NewCatalog(1, []string{"github"}, []toolscript.Tool{tool("github", "get-it"), tool("github", "get_it")}))
	for _, name := range []string{"get-it", "get_it"} {
		if got, want := ident(t, n, "github@work", name), ident(t, plain, "github", name); got != want {
			t.Errorf("%s is %s, and %s of a server without accounts", name, got, want)
		}
	}
	if other := accounts("github@home", "github@work"); other.Key == n.Key {
		t.Error("another default account has the same key")
	}
	for call, id := range map[string]string{
		"github.createIssue": "github@work__create_issue", "tools.github.only": "github@work__only", "github__create_issue": "github@work__create_issue",
		"mcp__github__create_issue": "github@work__create_issue", "github@home__only": "github@home__only", "github@work.only": "github@work__only", "github@home.only": "github@home__only", "other__get": "other__get", "x__y": "x__y",
	} {
		if got := n.Resolve(call); got != id {
			t.Errorf("%s means %s, want %s", call, got, id)
		}
	}
	if got := n.Call(tool("github@home", "only")); got != `tools.github.$as("home").only` {
		t.Errorf("scripts call %s", got)
	}
}

// TestTableOfAccounts checks how a Table finds the accounts of a server.
func TestTableOfAccounts(t *testing.T) {
	n := accounts("github@work", "github@home")
	all, one := naming.NewTable(n, nil, nil), naming.NewTable(n, toolscript.Filter{"github@home"}, nil)
	for _, table := range []*naming.Table{all, one} {
		github := table.Server("github")
		if github != table.Server("github@work") || table.Tool(github, naming.AsAccount) != naming.As {
			t.Errorf("$as is %d", table.Tool(github, naming.AsAccount))
		}
		if got := table.ID(table.Server("github@home"), "createIssue"); got != "github@home__create_issue" {
			t.Errorf("home has %q", got)
		}
		if table.Server("github@nobody") != naming.None || table.Server("other@work") != naming.None {
			t.Error("there is an account that is not configured")
		}
		if got, want := table.Missing(github, "@nobody"), `tools.github has no account "nobody"; its accounts are: work, home`; got != want {
			t.Errorf("Missing = %q, want %q", got, want)
		}
		if table.Tool(table.Server("other"), naming.AsAccount) == naming.As {
			t.Error("a server without accounts has $as")
		}
	}
	if got := [][]string{all.Idents(naming.None), one.Idents(naming.None)}; !cmp.Equal(got, [][]string{{"github", "other"}, {"github"}}) {
		t.Errorf("members of tools: %q", got)
	}
	if !one.Shown(naming.None, "github") || one.Shown(naming.None, "other") {
		t.Error("wrong servers are shown")
	}
	if got := one.Missing(one.Server("github@home"), "onl"); got != `tools.github.$as("home").onl does not exist; did you mean tools.github.$as("home").only?` {
		t.Errorf("Missing = %q", got)
	}
}
