package config_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// names returns the configured servers.
func (s *scene) names() []string { return slices.Sorted(maps.Keys(s.load().Servers)) }

func TestAccounts(t *testing.T) {
	s := newScene(t)
	s.env["account"] = "of the environment"
	s.write(s.home, `{"mcpServers": {
		"github": {"command": "server", "args": ["--as", "${account}", "$${account}", "$$${account}"], "env": {"WHO": "${account}/${account}"}, "accounts": ["work", "home"]},
		"plain": {"command": "${account}"}}}`)
	c := s.load()
	if diff := cmp.Diff([]string{"github@home", "github@work", "plain"}, s.names()); diff != "" {
		t.Fatalf("servers (-want +got):\n%s", diff)
	}
	for _, account := range []string{"work", "home"} {
		got := c.Servers["github@"+account]
		if diff := cmp.Diff([]string{"--as", account, "${account}", "$${account}"}, got.Args); diff != "" {
			t.Errorf("arguments of %s (-want +got):\n%s", account, diff)
		}
		if got.Env["WHO"] != account+"/"+account || got.Problem != nil || !cmp.Equal(got.Accounts, []string{"work", "home"}) {
			t.Errorf("%s: %+v, %v", account, got.Env, got.Problem)
		}
	}
	if got := c.Servers["plain"]; got.Command != "of the environment" || got.Accounts != nil {
		t.Errorf("a server without accounts runs %q", got.Command)
	}
	if len(c.Notices()) > 0 {
		t.Errorf("notices: %q", c.Notices())
	}
}

// TestSecretsOfAccounts: each account has a secret of its own, which a person confirms for it.
func TestSecretsOfAccounts(t *testing.T) {
	s := newScene(t)
	s.write(s.home, `{"mcpServers": {"github": {"command": "server", "env": {"TOKEN": "${secret:github-${account}}"}, "accounts": ["work", "home"]}}}`)
	s.store("github-work", "github@work")
	c := s.load()
	if got := c.Servers["github@work"]; got.Env["TOKEN"] != secretValue || got.Problem != nil {
		t.Errorf("work gets %q, %v", got.Env, got.Problem)
	}
	home := c.Servers["github@home"]
	if home.Problem == nil || home.Env["TOKEN"] == secretValue {
		t.Fatalf("home gets %q, %v", home.Env, home.Problem)
	}
	wantText(t, home.Problem.Error(), "secret github-home is not set", "toolscript secret set github-home --for github@home")
}

// TestWrongAccounts: a list with a mistake disables the server, and no other one.
func TestWrongAccounts(t *testing.T) {
	var many []string
	for i := range 1000 {
		many = append(many, fmt.Sprintf("%q", fmt.Sprint("a", i)))
	}
	for list, want := range map[string]string{
		`[]`: "1 to 20 accounts", `["a", "a"]`: "different names", `[` + strings.Join(many, ",") + `]`: "1 to 20 accounts",
		`"a"`: "expected an array", `{"a": {}}`: "expected an array", `[1]`: "expected a string", `[["a"]]`: "expected a string", `null`: "expected an array",
		`[""]`: "name of an account", `[".."]`: "name of an account", `["a b"]`: "name of an account", `["a/b"]`: "name of an account", `["a__b"]`: "name of an account",
		`["a_"]`: "name of an account", `["_a"]`: "name of an account", `["a@b"]`: "name of an account", `["*"]`: "name of an account", `["ü"]`: "name of an account",
		`["` + strings.Repeat("a", 100) + `"]`: "name of an account", `["a\u0000"]`: "name of an account",
	} {
		s := newScene(t)
		s.write(s.home, `{"mcpServers": {"good": {"command": "x", "accounts": ["a"]}, "bad": {"command": "x", "accounts": `+list+`}}}`)
		c := s.load()
		if diff := cmp.Diff([]string{"bad", "good@a"}, slices.Sorted(maps.Keys(c.Servers))); diff != "" {
			t.Errorf("%.40s: servers (-want +got):\n%s", list, diff)
			continue
		}
		if problem := c.Servers["bad"].Problem; problem == nil || !strings.Contains(problem.Error(), want) {
			t.Errorf("%.40s: %v, want %q", list, problem, want)
		}
		if c.Servers["good@a"].Problem != nil {
			t.Errorf("%.40s disables another server", list)
		}
	}
}

// TestNamesLikeAccounts: no configured name can be that of an account.
func TestNamesLikeAccounts(t *testing.T) {
	s := newScene(t)
	s.write(s.home, `{"mcpServers": {
		"github@work": {"command": "other"}, "github": {"command": "x", "accounts": ["work", "home"]},
		"a@b": {"command": "x"}, "a@": {"command": "x", "accounts": ["c"]}, "@scope/name": {"command": "x"}}}`)
	c := s.load()
	if diff := cmp.Diff([]string{"@scope/name", "github@home"}, slices.Sorted(maps.Keys(c.Servers))); diff != "" {
		t.Errorf("servers (-want +got):\n%s", diff)
	}
	if text := fmt.Sprint(c.Notices()); strings.Count(text, "must not hold @ after its first character") != 3 {
		t.Errorf("notices: %s", text)
	}
}

// TestAccountsOfSeveralFiles: a server of a later file replaces all accounts of an earlier one, also
// while it is not trusted.
func TestAccountsOfSeveralFiles(t *testing.T) {
	const accounts, plain = `{"mcpServers": {"github": {"command": "x", "accounts": ["work", "home"]}}}`, `{"mcpServers": {"github": {"command": "y"}}}`
	for _, files := range [][3]string{{accounts, plain, "github"}, {plain, accounts, "github@home github@work"}, {accounts, `{"mcpServers": {"github": {"command": "y", "accounts": ["new", "work"]}}}`, "github@new github@work"}} {
		s := newScene(t)
		s.write(s.home, files[0])
		s.write(s.project, files[1])
		if got := strings.Join(s.names(), " "); got != files[2] {
			t.Errorf("%s over %s: %s", files[1], files[0], got)
		}
		c := s.load()
		if len(c.Hidden) == 0 {
			t.Errorf("%s over %s: nothing says that a server is hidden", files[1], files[0])
		}
		for name, server := range c.Servers {
			if server.Problem == nil {
				t.Errorf("%s of the project is trusted", name)
			}
		}
		s.trust()
		for name, server := range s.load().Servers {
			if server.Problem != nil {
				t.Errorf("%s is not trusted: %v", name, server.Problem)
			}
		}
	}
}

// TestMistakesOfAccounts: a mistake in a server with accounts names the place in the file.
func TestMistakesOfAccounts(t *testing.T) {
	s := newScene(t)
	path := s.write(s.home, "{\"mcpServers\": {\n\"github\": {\"accounts\": [\"work\"], \"command\": 1}}}")
	wantText(t, fmt.Sprint(s.load().Notices()), path+":2:", `mcpServers["github@work"].command`)
}
