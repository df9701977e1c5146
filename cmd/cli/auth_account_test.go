package cli_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/test/fixture/oauthserver"
)

// logsIn runs auth with these arguments to a successful login.
func logsIn(t *testing.T, w *world, as *oauthserver.Server, args ...string) string {
	t.Helper()
	a := startAuth(t, w, nil, args...)
	if code, page := visit(t, as.Agree(t, a.address).String()); code != http.StatusOK {
		t.Fatalf("page: %d %s", code, page)
	}
	if text, exit := a.rest(); exit != 0 {
		t.Fatalf("exit %d after %s; stderr:\n%s", exit, text, a.stderr)
	}
	return a.said.String()
}

// checkRefusals checks the errors of commands that name no account, or a wrong one.
func checkRefusals(t *testing.T, w *world) {
	t.Helper()
	for want, args := range map[string][]string{
		"hub has the accounts work, home, and these need a login: work, home; name one with --account": {"auth", "hub"},
		`hub has no account "nobody"; its accounts are: work, home`:                                    {"auth", "hub", "--account", "nobody"},
		"hub has the accounts work, home; name one with --account":                                     {"auth", "logout", "hub"},
		"--account needs a server": {"auth", "--account", "work"},
	} {
		if r := w.run(t, args...); r.code == 0 || !strings.Contains(r.stderr, want) {
			t.Errorf("%q: %+v, want %q", args, r, want)
		}
	}
}

// TestAuthOfAccounts: each account of a server has a login and a token of its own.
func TestAuthOfAccounts(t *testing.T) {
	w, as, _ := guarded(t, oauthserver.Options{})
	file := filepath.Join(filepath.Dir(w.dir), "home", ".toolscript.json")
	configure := func(accounts string) {
		if err := os.WriteFile(file, fmt.Appendf(nil, `{"mcpServers": {"hub": {"url": %q, "accounts": [%s]}}}`, as.MCP, accounts), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	configure(`"work", "home"`)
	gatewayAt(t, w)
	for _, account := range []string{"work", "home"} {
		if s, _ := inState(t, w, "hub@"+account, "needs_auth"); !strings.Contains(s.Error, "toolscript auth hub@"+account) {
			t.Errorf("before the login: %+v", s)
		}
	}
	checkRefusals(t, w)
	if said := logsIn(t, w, as, "hub", "--account", "home"); !strings.Contains(said, "Logged in at hub@home") {
		t.Errorf("said:\n%s", said)
	}
	inState(t, w, "hub@home", "ready")
	if s, _ := serverNamed(t, w, "hub@work"); s.State != "needs_auth" {
		t.Errorf("the login of another account connects: %+v", s)
	}
	if r := w.run(t, "exec", "--check", "off", `return typeof await tools.hub.$as("home").whoami()`); r.stdout != "\"string\"\n" {
		t.Errorf("a call before the login of the default account: %+v", r)
	}
	if said := logsIn(t, w, as, "hub"); !strings.Contains(said, "Logged in at hub@work") { // the only one without a login
		t.Errorf("said:\n%s", said)
	}
	inState(t, w, "hub@work", "ready")
	if r := w.run(t, "auth", "hub"); r.code == 0 || !strings.Contains(r.stderr, "none is known to need a login") {
		t.Errorf("auth again: %+v", r)
	}
	r := w.run(t, "exec", `return [await tools.hub.whoami(), await tools.hub.$as("work").whoami(), await tools.hub.$as("home").whoami()]`)
	var tokens []string
	if err := json.Unmarshal([]byte(r.stdout), &tokens); err != nil || len(tokens) != 3 || tokens[0] != tokens[1] || tokens[0] == tokens[2] {
		t.Errorf("tokens: %+v", r)
	}
	if table := w.run(t, "auth"); !strings.Contains(table.stdout, "✓\thub@home\tauthenticated") || !strings.Contains(table.stdout, "✓\thub@work\tauthenticated") {
		t.Errorf("table: %+v", table)
	}
	if r := w.run(t, "auth", "logout", "hub", "--account", "home"); r.code != 0 || !strings.Contains(r.stdout, "Logged out of hub@home") {
		t.Errorf("logout: %+v", r)
	}
	if table := w.run(t, "auth"); !strings.Contains(table.stdout, "✗\thub@home") || !strings.Contains(table.stdout, "✓\thub@work\tauthenticated") {
		t.Errorf("table after the logout: %+v", table)
	}
	if r := w.run(t, "__complete", "auth", "hub", "--account", ""); !strings.HasPrefix(r.stdout, "home\nwork\n") {
		t.Errorf("completion: %+v", r)
	}
	configure(`"work"`)
	if r := w.run(t, "auth", "hub"); r.code != 0 || !strings.Contains(r.stdout, "No login needed at hub@work") {
		t.Errorf("auth at the only account: %+v", r)
	}
}
