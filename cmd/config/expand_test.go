package config_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
)

func TestExpand(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"no reference", "plain $A {A} $", "plain $A {A} $"},
		{"set", "x${A}y${A}", "xaya"},
		{"set to nothing", "x${NOTHING}y", "xy"},
		{"set to nothing, with a default", "x${NOTHING:-d}y", "xdy"},
		{"set, with a default", "${A:-d}", "a"},
		{"default", "${UNSET:-d}", "d"},
		{"empty default", "x${UNSET:-}y", "xy"},
		{"default with colons and dashes", "${UNSET:-http://x:-1}", "http://x:-1"},
		{"default with a variable that is used", "${UNSET:-${A}/x}y", "a/xy"},
		{"default with a variable that is not used", "${A:-${UNSET}/x}y", "ay"},
		{"defaults in defaults", "${UNSET:-<${UNSET:-${UNSET:-[${A}]}}>}", "<[a]>"},
		{"default with other braces, as in a shell", `${UNSET:-{"x":1}}${A:-{"x":1}}`, `{"x":1}a}`},
		{"as editors write it", "Bearer ${env:A}", "Bearer a"},
		{"as editors write it, with a default", "${env:UNSET:-${env:A}}", "a"},
		{"values are not expanded again", "${REFERENCE}", "${A}"},
		{"no escape", `\${A}`, `\a`},
		{"literal", "$${A}", "${A}"},
		{"literal of anything", "$${A:x} $${ $${}", "${A:x} ${ ${}"},
		{"literal in a default", "${UNSET:-<$${A}>}${A:-<$${A}>}", "<${A}>a"},
		{"dollar before a literal", "$$${A}", "$${A}"},
		{"dollars", "$$ $1 $$1 $", "$$ $1 $$1 $"},
		{"name of other characters", "${ProgramFiles(x86)}", "C:\\"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newScene(t)
			s.env["A"], s.env["NOTHING"], s.env["REFERENCE"], s.env["ProgramFiles(x86)"] = "a", "", "${A}", "C:\\"
			s.write(s.home, serverWithArg(t, test.text))
			server := s.load().Servers["s"]
			if server.Problem != nil || server.Args[0] != test.want {
				t.Errorf("expansion of %q = %q, %v; want %q", test.text, server.Args, server.Problem, test.want)
			}
		})
	}
}

// TestReferencesThatAreNotUnderstood: an invalid reference disables its server; its text is not passed on.
func TestReferencesThatAreNotUnderstood(t *testing.T) {
	for text, want := range map[string]string{
		"${input:api-key}":             "${input:api-key} is not understood",
		"x${A:+yes}":                   "${A:+yes} is not understood",
		"${A:?no}":                     "${A:?no} is not understood",
		"${A:1:2}":                     "${A:1:2} is not understood",
		"${}":                          "${} is not understood",
		"${A-d2}":                      "${A-d2} is not understood",
		"${env.A}":                     "${env.A} is not understood",
		"${A/b/c}":                     "${A/b/c} is not understood",
		"${ A }":                       "${ A } is not understood",
		"${1A}":                        "${1A} is not understood",
		"${:-d}":                       "${:-d} is not understood",
		"${env:}":                      "${env:} is not understood",
		"${${A}}":                      "${${A}} is not understood",
		"${UNSET:-${input:x}}":         "${input:x} is not understood",
		"${workspaceFolder}/x":         "${workspaceFolder} is known to editors only",
		"${userHome}":                  "${userHome} is known to editors only",
		"${A":                          "is not closed",
		"${A:-${B}":                    "is not closed",
		strings.Repeat("${A:-", 1<<17): "is not closed",
		strings.Repeat("${A:-", 11) + "${B}" + strings.Repeat("}", 11): "more than 10 levels",
	} {
		s := newScene(t)
		s.env["A"], s.env["B"] = "a", "b"
		s.write(s.home, strings.TrimSuffix(serverWithArg(t, text), "}}")+`, "other": {"command": "x"}}}`)
		c := s.load()
		problem := c.Servers["s"].Problem
		if toolscript.KindOf(problem) != toolscript.Invalid || c.Servers["other"].Problem != nil {
			t.Errorf("%.40q: problem %v, of the other server %v; want a mistake of the first", text, problem, c.Servers["other"].Problem)
			continue
		}
		wantText(t, problem.Error(), "mcpServers.s.args[0]", want, "$${", "toolscript config validate")
	}
}

func TestExpandEveryStringButKeys(t *testing.T) {
	s := newScene(t)
	s.env["V"], s.env["KIND"], s.env["TIME"], s.env["ADDRESS"] = "v", "http", "2s", "http://x"
	s.write(s.home, `{"mcpServers": {
		"a": {"command": "${V}", "args": ["${V}"], "env": {"${V}": "${V}"}, "cwd": "${V}", "includeTools": ["${V}"], "timeout": "${TIME}"},
		"${V}": {"type": "${KIND}", "url": "${ADDRESS}", "headers": {"X": "${V}"}}},
		"check": "${CHECK:-off}", "limits": {"timeoutMs": "${TIME}"}}`)
	c := s.load()
	a, b := c.Servers["a"], c.Servers["${V}"]
	for _, got := range []string{a.Command, a.Args[0], a.Env["${V}"], a.IncludeTools[0], b.Headers["X"]} {
		if got != "v" {
			t.Errorf("a value is %q, want v", got)
		}
	}
	if b.Type != "http" || b.URL != "http://x" || a.Timeout.String() != "2s" || c.Settings.Check != "off" || c.Settings.Limits.TimeoutMs != 2000 {
		t.Errorf("type %q, url %q, timeout %s, settings %+v; want the variables' values", b.Type, b.URL, a.Timeout, c.Settings)
	}
}

// A server with an unset variable does not start; the others do.
func TestUnsetVariableFailsThatServerAlone(t *testing.T) {
	s := newScene(t)
	s.env["API_TOKEN"] = "secret"
	s.write(s.home, `{"mcpServers": {
		"github": {"command": "npx", "env": {"GITHUB_TOKEN": "${GITHUB_TOKEN}"}},
		"many": {"type": "${KIND}", "url": "https://${HOST}/${API_TOKEN}", "timeout": "${TIME}", "headers": {"X": "${HOST}"}},
		"api": {"url": "https://x/mcp", "headers": {"Authorization": "Bearer ${API_TOKEN}"}},
		"other": {"command": "other"}}}`)
	c := s.load()
	for _, name := range []string{"api", "other"} {
		if problem := c.Servers[name].Problem; problem != nil {
			t.Errorf("%s has a problem: %v", name, problem)
		}
	}
	if got := c.Servers["api"].Headers["Authorization"]; got != "Bearer secret" {
		t.Errorf("header of api = %q, want the value of API_TOKEN", got)
	}
	for name, parts := range map[string][]string{
		"github": {"github: variable GITHUB_TOKEN is not set (env.GITHUB_TOKEN)", "${NAME:-default}"},
		"many":   {"many: variable KIND is not set (type); variable HOST is not set (url); variable TIME is not set (timeout); variable HOST is not set (headers.X)"},
	} {
		problem := c.Servers[name].Problem
		if toolscript.KindOf(problem) != toolscript.Invalid {
			t.Errorf("problem of %s = %v, want one of kind invalid", name, problem)
			continue
		}
		wantText(t, problem.Error(), parts...)
		if strings.Contains(problem.Error(), "secret") {
			t.Errorf("problem of %s shows a value: %v", name, problem)
		}
	}
	if got := c.Servers["github"].Env["GITHUB_TOKEN"]; got != "${GITHUB_TOKEN}" {
		t.Errorf("the value became %q, want it as written", got)
	}
	if c.Servers["many"].Type != "" {
		t.Errorf("type of many = %q, want none", c.Servers["many"].Type)
	}
}

// FuzzExpand compares the result with the rule for texts that have no nested references.
func FuzzExpand(f *testing.F) {
	for _, text := range []string{"", "${A}", "${A:-b}", "${:-b}", "${A:b}", "${${A}}", "x${B:-}${A}", "${A\n}", "${UNSET}${A}", "$${A}", "$$${A}${A}"} {
		f.Add(text, "value ${A}")
	}
	rule := regexp.MustCompile(`(\$?)\$\{(?:([^:{}$]+)(?::-([^{}$]*))?\})?`)
	f.Fuzz(func(t *testing.T, text, value string) {
		text = strings.ToValidUTF8(text, "?")
		var want strings.Builder
		end, unset := 0, false
		for _, at := range rule.FindAllStringSubmatchIndex(text, -1) {
			want.WriteString(text[end:at[0]])
			end = at[1]
			switch {
			case at[3] > at[2]:
				want.WriteString("${")
				end = at[3] + 2
			case at[4] < 0:
				return // a nested reference, or a mistake
			case text[at[4]:at[5]] == "A":
				want.WriteString(value)
			case at[6] >= 0:
				want.WriteString(text[at[6]:at[7]])
			default:
				unset = true
			}
		}
		want.WriteString(text[end:])
		if strings.HasPrefix(text, "~") || strings.HasPrefix(text, `\~`) || strings.Contains(text, ":-~") || strings.Contains(text, `:-\~`) {
			return // see TestHome
		}
		s := newScene(t)
		s.env = map[string]string{"A": value, "TOOLSCRIPT_CONFIG": s.write(s.home, serverWithArg(t, text))}
		server := s.load().Servers["s"]
		switch {
		case unset && server.Problem == nil:
			t.Errorf("expansion of %q = %q; want a problem", text, server.Args)
		case !unset && (server.Problem != nil || server.Args[0] != want.String()):
			t.Errorf("expansion of %q = %q, %v; want %q", text, server.Args, server.Problem, want.String())
		}
	})
}

func serverWithArg(t *testing.T, arg string) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"s": map[string]any{"command": "x", "args": []string{arg}}}})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
