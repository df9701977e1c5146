package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestAMistakeDisablesOneServer checks that the other servers and the settings of the file stay in
// effect, and that the disabled server's problem says where the mistake is.
func TestAMistakeDisablesOneServer(t *testing.T) {
	for name, test := range map[string]struct{ definition, field, message string }{
		"no kind":               {`{}`, "mcpServers.bad", "needs a command"},
		"no object":             {`7`, "mcpServers.bad", "found a number"},
		"a command of a number": {`{"command": 7}`, "mcpServers.bad.command", "found a number"},
		"a word for a list":     {`{"command": "x", "args": "a b"}`, "mcpServers.bad.args", "found a string"},
		"a word for a time":     {`{"command": "x", "timeout": "soon"}`, "mcpServers.bad.timeout", "24h"},
		"null in env":           {`{"command": "x", "env": {"A": null}}`, "mcpServers.bad.env.A", "found null"},
		"a number of an object": {`{"command": "x", "env": {"A": {"B": 1}}}`, "mcpServers.bad.env.A", "found an object"},
		"a secret in args":      {`{"command": "x", "args": ["${secret:A}"]}`, "mcpServers.bad.args[0]", "must not be an argument"},
		"two tools of one name": {`{"command": "x", "overrides": {"a": {"name": "c"}, "b": {"name": "c"}}}`, "mcpServers.bad.overrides.b.name", "name of tool a too"},
		"an unknown tool":       {`{"type": "builtin", "root": ".", "tools": ["reedFile"]}`, "mcpServers.bad.tools", `"reedFile"`},
		"a login without an id": {`{"url": "https://x", "oauth": {"grant": "client_credentials", "clientSecret": "x"}}`, "mcpServers.bad.oauth", "oauth.clientId"},
		"a home of another":     {`{"command": "~root/x"}`, "mcpServers.bad.command", "${HOME}"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			path := s.write(s.home, "{\"mcpServers\": {\n \"good\": {\"command\": \"x\"},\n \"bad\": "+test.definition+"},\n \"check\": \"off\"}")
			c := s.load()
			if got := c.Servers["good"]; got.Problem != nil || got.Command != "x" || c.Settings.Check != "off" {
				t.Errorf("the other server: %q, %v; check: %q", got.Command, got.Problem, c.Settings.Check)
			}
			if len(c.Mistakes) != 1 {
				t.Fatalf("mistakes = %v, want one", c.Mistakes)
			}
			m := c.Mistakes[0]
			if m.Line != 3 || m.Column < 2 || m.Field != test.field || m.Server != "bad" || !strings.Contains(m.Message, test.message) {
				t.Errorf("mistake = %v, want %s in line 3 about %s", m, test.message, test.field)
			}
			problem := c.Servers["bad"].Problem
			if toolscript.KindOf(problem) != toolscript.Invalid {
				t.Fatalf("problem = %v, want one of kind invalid", problem)
			}
			wantText(t, problem.Error(), "misconfigured: "+path+":3:", test.message, "toolscript config validate")
			wantText(t, strings.Join(c.Notices(), "\n"), m.Error()+"; the server bad is not started")
		})
	}
}

// TestNumbersAreTexts checks that a number or boolean as the value of a variable is read as the
// text in the file.
func TestNumbersAreTexts(t *testing.T) {
	c := mustLoad(t, `{"mcpServers": {
		"a": {"command": "x", "args": ["--port", 3000, true], "env": {"PORT": 3000, "ID": 7960607143101464576, "RATIO": 1.50, "FAR": 1e999, "DEBUG": true}},
		"b": {"url": "https://x", "headers": {"X-Version": 2}}}}`)
	if len(c.Mistakes) > 0 {
		t.Fatal(c.Mistakes)
	}
	want := map[string]string{"PORT": "3000", "ID": "7960607143101464576", "RATIO": "1.50", "FAR": "1e999", "DEBUG": "true"}
	if diff := cmp.Diff(want, c.Servers["a"].Env); diff != "" {
		t.Errorf("env (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"--port", "3000", "true"}, c.Servers["a"].Args); diff != "" {
		t.Errorf("args (-want +got):\n%s", diff)
	}
	if got := c.Servers["b"].Headers["X-Version"]; got != "2" {
		t.Errorf("header = %q", got)
	}
}

// TestAMistakenServerReplacesEarlierOnes: an invalid server of the project hides the user's server of
// the same name, so that a script of the project cannot reach that one.
func TestAMistakenServerReplacesEarlierOnes(t *testing.T) {
	s := newScene(t)
	s.write(s.home, `{"mcpServers": {"db": {"command": "production"}}}`)
	s.write(s.project, `{"mcpServers": {"db": {"comand": "test"}}}`)
	if c := s.load().Servers["db"]; c.Command != "" || toolscript.KindOf(c.Problem) != toolscript.Forbidden {
		t.Errorf("of a project that is not trusted: %q, %v", c.Command, c.Problem)
	}
	s.trust()
	if c := s.load().Servers["db"]; c.Command != "" || toolscript.KindOf(c.Problem) != toolscript.Invalid {
		t.Errorf("of a trusted project: %q, %v", c.Command, c.Problem)
	}
}

// TestMistakesInSettings: a mistake in a setting disables only that setting, except in a setting that
// restricts scripts: then nothing is loaded.
func TestMistakesInSettings(t *testing.T) {
	for field, whole := range map[string]bool{
		`"engine": "v8"`: false, `"check": 5`: false, `"search": {"model": 1}`: false, `"fleet": {"use": "*"}`: false, `"hub": 1`: false, `"defaults": {"idle": 0}`: false,
		`"approvals": {"rules": 1}`: true, `"limits": {"toolCalls": 0}`: true, `"profile": 1`: true, `"profiles": []`: true, `"audit": 1`: true, `"pins": 1`: true, `"toolPacks": 1`: true, `"toolPacks": {"all": {"tools": []}}`: true,
	} {
		name, _, _ := strings.Cut(strings.Trim(field, `"`), `"`)
		loaded, all := mistakes(t, `{"mcpServers": {"a": {"command": "x"}}, `+field+`}`)
		if len(all) != 1 || !strings.HasPrefix(all[0].Field, name) || (loaded == nil) != whole {
			t.Errorf("%s: loaded %t, %v", field, loaded != nil, all)
		}
		if loaded != nil {
			if c := loaded.Servers["a"]; c.Problem != nil || c.Command != "x" {
				t.Errorf("%s: the server: %q, %v", field, c.Command, c.Problem)
			}
			wantText(t, strings.Join(loaded.Notices(), "\n"), name+" has no effect")
		}
	}
}

// TestCommentsAndCommas: every configuration file may contain comments and trailing commas.
func TestCommentsAndCommas(t *testing.T) {
	s := newScene(t)
	s.write(s.project, "\ufeff// servers\n{\n  \"mcpServers\": { /* one */ \"a\": {\"command\": \"x\", \"args\": [\"// no comment\", ],}, },\n}\n// end")
	s.trust()
	c := s.load()
	if got := c.Servers["a"]; got.Problem != nil || got.Command != "x" || cmp.Diff([]string{"// no comment"}, got.Args) != "" || len(c.Notices()) > 0 {
		t.Errorf("server = %q %q, problem %v, notices %q", got.Command, got.Args, got.Problem, c.Notices())
	}
	if _, err := config.Check("x", []byte("{\"mcpServers\": {},} // end")); err != nil {
		t.Errorf("Check = %v", err)
	}
}

// TestHome: ~ at the start of a path is the home folder, as in a shell.
func TestHome(t *testing.T) {
	s := newScene(t)
	s.env["SET"] = "~/set"
	s.write(s.home, `{"mcpServers": {"a": {
		"command": "~/bin/x", "args": ["~", "~/a", "--dir=~/a", "a~/b", "\\~/c", "${NOT:-~/d}", "${SET}", "x${NOT:-~/e}", "~x", "~5/2"],
		"cwd": "~/w", "env": {"FILE": "~/f", "LIST": "~/f:~/g", "TEXT": "a ~ b", "FLAG": "~"}},
	"b": {"type": "command", "commands": {"t": {"run": ["~/bin/y", "~/a"]}}}}}`)
	c := s.load()
	a := c.Servers["a"]
	if a.Problem != nil || len(c.Notices()) > 0 {
		t.Fatalf("problem %v, notices %q", a.Problem, c.Notices())
	}
	h := s.home
	if diff := cmp.Diff([]string{h, h + "/a", "--dir=~/a", "a~/b", "~/c", h + "/d", "~/set", "x~/e", "~x", "~5/2"}, a.Args); diff != "" {
		t.Errorf("args (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"FILE": h + "/f", "LIST": h + "/f:~/g", "TEXT": "a ~ b", "FLAG": h}, a.Env); diff != "" {
		t.Errorf("env (-want +got):\n%s", diff)
	}
	if a.Command != h+"/bin/x" || a.Dir != h+"/w" {
		t.Errorf("command %q in %q", a.Command, a.Dir)
	}
	if got := string(c.Servers["b"].Commands); !strings.Contains(got, h+"/bin/y") || c.Servers["b"].Type != upstream.Command {
		t.Errorf("commands = %s", got)
	}
}

// TestNoHome: if the home folder is unknown, a path below it is a problem of the server that has it.
func TestNoHome(t *testing.T) {
	s := newScene(t)
	path := s.write(s.home, `{"mcpServers": {"a": {"command": "~/x"}, "b": {"command": "x"}}}`)
	delete(s.env, "HOME")
	delete(s.env, "USERPROFILE")
	s.options.Config = path
	s.env["XDG_CONFIG_HOME"], s.env["XDG_DATA_HOME"] = s.home, s.home
	c := s.load()
	if err := c.Servers["a"].Problem; err == nil || !strings.Contains(err.Error(), "HOME") {
		t.Errorf("problem = %v", err)
	}
	if err := c.Servers["b"].Problem; err != nil {
		t.Errorf("problem of the other server = %v", err)
	}
}

// TestAMistakeDisablesOneCommand: the other commands of the server are still tools. A word in braces
// that resembles a parameter causes a warning.
func TestAMistakeDisablesOneCommand(t *testing.T) {
	const good = `"good": {"run": ["echo", "{end}", "{branch}", "{branhc}"], "parameters": {"branch": "x"}}`
	for bad, field := range map[string]string{
		`{"run": 7}`: "run", `{}`: "run", `{"run": ["x"], "output": "xml"}`: "output", `{"run": ["x"], "parameters": {"a": "b"}}`: "parameters.a",
		`{"run": ["x"], "stdin": "a"}`: "stdin", `7`: "",
	} {
		t.Run(bad, func(t *testing.T) {
			s := newScene(t)
			s.write(s.home, `{"mcpServers": {"c": {"type": "command", "root": ".", "commands": {`+good+`, "bad": `+bad+`}}}}`)
			c := s.load()
			want := strings.TrimSuffix("mcpServers.c.commands.bad."+field, ".")
			if len(c.Mistakes) != 1 || c.Mistakes[0].Field != want {
				t.Errorf("mistakes = %v, want one at %s", c.Mistakes, want)
			}
			if got := c.Servers["c"]; got.Problem != nil || !strings.Contains(string(got.Commands), `"good"`) || strings.Contains(string(got.Commands), `"bad"`) {
				t.Errorf("the server has %s, problem %v", got.Commands, got.Problem)
			}
			wantText(t, strings.Join(c.Warnings, "\n"), `{branhc} names no parameter, so it stays as it is; did you mean {branch}?`)
		})
	}
	s := newScene(t)
	s.write(s.home, `{"mcpServers": {"c": {"type": "command", "root": ".", "commands": {"bad": {}, "worse": 7}}}}`)
	if problem := s.load().Servers["c"].Problem; problem == nil || !strings.Contains(problem.Error(), "commands.bad") {
		t.Errorf("a server whose commands all have mistakes: %v", problem)
	}
}
