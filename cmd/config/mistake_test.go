package config_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/config"
)

func TestSyntaxErrors(t *testing.T) {
	for _, test := range []struct {
		name, text   string
		line, column int
		message      string
		excerpt      string
	}{
		{"empty", "", 1, 1, "the file is empty; the smallest configuration", ""},
		{"blank", " \n ", 1, 1, "the file is empty", ""},
		{"comma too many", "{\n\t\"mcpServers\": {},\n}", 3, 1, "remove the comma", "}\n^"},
		{"in a list", `{"mcpServers": {"a": {"args": ["x", ]}}}`, 1, 37, "remove the comma", ""},
		{"comma missing", "{\"mcpServers\": {\"a\": {\"command\": \"x\"\n\t\"args\": []}}}", 2, 2, "a comma is missing before it", "\t\"args\": []}}}\n\t^"},
		{"comment", "{\n  // servers\n  \"mcpServers\": {}}", 2, 3, "JSON has no comments", "  // servers\n  ^"},
		{"single quotes", `{'mcpServers': {}}`, 1, 2, "JSON has double quotes only", "{'mcpServers': {}}\n ^"},
		{"not closed", "{\"mcpServers\": {\n\n", 1, 17, "is not closed", "{\"mcpServers\": {\n                ^"},
		{"text behind", `{"mcpServers": {}} x`, 1, 20, "after top-level value", ""},
		{"behind characters of several bytes", `{"ä€😀": x}`, 1, 9, "invalid character 'x'", "{\"ä€😀\": x}\n        ^"},
		{"byte order mark", "\ufeff{x", 1, 2, "invalid character 'x'", "{x\n ^"},
		{"not UTF-8", "{\"a\": \"\xff\"}", 1, 8, "this is not UTF-8 text", ""},
		{"UTF-16", "\xff\xfe{\x00}\x00", 1, 1, "this is not UTF-8 text", ""},
		{"escape sequence of a terminal", "{\x1b[2J", 1, 2, "invalid character", "{\ufffd[2J\n ^"},
		{"carriage return", "{\r\n  x\r\n}", 2, 3, "invalid character 'x'", "  x\n  ^"},
		{"number out of range", `{"mcpServers": 1e999}`, 1, 16, "the number is out of range", ""},
		{"nested too deep", strings.Repeat("[", 200) + strings.Repeat("]", 200), 1, 66, "nested more than 64 levels deep", ""},
		{"nested far too deep", strings.Repeat("[", 100_000), 1, 10_001, "exceeded max depth", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := onlyMistake(t, test.text)
			if m.Line != test.line || m.Column != test.column {
				t.Errorf("place of %q = %d:%d, want %d:%d", m.Message, m.Line, m.Column, test.line, test.column)
			}
			wantText(t, m.Message, test.message)
			if test.excerpt != "" && m.Excerpt != test.excerpt {
				t.Errorf("excerpt (-want +got):\n%s", cmp.Diff(test.excerpt, m.Excerpt))
			}
		})
	}
}

func TestSyntaxErrorInLongLine(t *testing.T) {
	m := onlyMistake(t, `{"`+strings.Repeat("a", 5000)+`": x`+strings.Repeat("b", 5000))
	line, caret, _ := strings.Cut(m.Excerpt, "\n")
	if len(line) > 200 {
		t.Errorf("the excerpt has %d bytes, want a part of the line", len(line))
	}
	shown, at := []rune(line), strings.IndexByte(caret, '^')
	if at >= len(shown) || shown[at] != 'x' {
		t.Errorf("the caret is not under the x:\n%s", m.Excerpt)
	}
}

func TestSchemaErrors(t *testing.T) {
	server := func(fields string) string { return `{"mcpServers": {"s": {` + fields + `}}}` }
	for _, test := range []struct{ name, text, field, message string }{
		{"not an object", `[]`, "", "expected an object, found an array"},
		{"no servers", `{}`, "mcpServers", "required"},
		{"servers a list", `{"mcpServers": []}`, "mcpServers", "expected an object, found an array"},
		{"server null", `{"mcpServers": {"s": null}}`, "mcpServers.s", "expected an object, found null"},
		{"server without a kind", server(``), "mcpServers.s", "needs a command (the program of a stdio server) or a url"},
		{"server of two kinds", server(`"command": "x", "url": "http://x"`), "mcpServers.s", "has both command and url"},
		{"stdio without command", server(`"type": "stdio"`), "mcpServers.s.command", "required"},
		{"http without url", server(`"type": "http"`), "mcpServers.s.url", "required"},
		{"sse without url", server(`"type": "sse", "command": "x"`), "mcpServers.s.url", "required"},
		{"unknown type", server(`"type": "studio", "command": "x"`), "mcpServers.s.type",
			`must be one of "stdio", "http", "streamable-http", "sse"; did you mean "stdio"?`},
		{"empty command", server(`"command": ""`), "mcpServers.s.command", "must not be empty"},
		{"command a number", server(`"command": 7`), "mcpServers.s.command", "expected a string, found a number"},
		{"an argument a number", server(`"command": "x", "args": ["a", 7]`), "mcpServers.s.args[1]", "expected a string, found a number"},
		{"variable a boolean", server(`"command": "x", "env": {"A.B": true}`), `mcpServers.s.env["A.B"]`, "expected a string, found true or false"},
		{"variable without a name", server(`"command": "x", "env": {"": "x"}`), `mcpServers.s.env[""]`, "the name of an environment variable must not"},
		{"variable with an equals sign", server(`"command": "x", "env": {"A=B": "x"}`), `mcpServers.s.env["A=B"]`, "must not hold an equals sign"},
		{"inheritEnv a string", server(`"command": "x", "inheritEnv": "HOME"`), "mcpServers.s.inheritEnv", "expected true or false or an array, found a string"},
		{"address without a scheme", server(`"url": "example.com/mcp"`), "mcpServers.s.url", "must be a whole address such as"},
		{"address of a file", server(`"url": "file:///etc/passwd"`), "mcpServers.s.url", "must be a whole address such as"},
		{"address that does not parse", server(`"url": "http://exa mple"`), "mcpServers.s.url", "must be a whole address such as"},
		{"bad header name", server(`"url": "http://x", "headers": {"a b": "x"}`), `mcpServers.s.headers["a b"]`, "the name of an HTTP header"},
		{"timeout a word", server(`"command": "x", "timeout": "soon"`), "mcpServers.s.timeout", "must be a time between 1ms and 24h"},
		{"timeout zero", server(`"command": "x", "timeout": 0`), "mcpServers.s.timeout", "must be at least 1"},
		{"timeout zero as a text", server(`"command": "x", "timeout": "0s"`), "mcpServers.s.timeout", "must be a time between"},
		{"timeout too long", server(`"command": "x", "timeout": "25h"`), "mcpServers.s.timeout", "must be a time between"},
		{"timeout beyond numbers", server(`"command": "x", "timeout": 1e300`), "mcpServers.s.timeout", "must be at most 86400000"},
		{"timeout a fraction", server(`"command": "x", "timeout": 1.5`), "mcpServers.s.timeout", "expected a whole number or a string, found a fraction"},
		{"server without a name", `{"mcpServers": {"": {"command": "x"}}}`, `mcpServers[""]`, "the name of a server must not be empty"},
		{"server with a terminal sequence", `{"mcpServers": {"a\u001b[2J": {"command": "x"}}}`, `mcpServers["a\x1b[2J"]`, "control characters"},
		{"unknown engine", `{"mcpServers": {}, "engine": "v8"}`, "engine", `must be one of "auto", "quickjs", "deno"`},
		{"unknown check", `{"mcpServers": {}, "check": "wran"}`, "check", `did you mean "warn"?`},
		{"limit a text", `{"mcpServers": {}, "limits": {"memoryMb": "64"}}`, "limits.memoryMb", "expected a whole number, found a string"},
		{"limit zero", `{"mcpServers": {}, "limits": {"toolCalls": 0}}`, "limits.toolCalls", "must be at least 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := onlyMistake(t, test.text)
			if m.Field != test.field {
				t.Errorf("field = %s, want %s", m.Field, test.field)
			}
			wantText(t, m.Message, test.message)
		})
	}
}

func TestMistakesAreInTheOrderOfTheFile(t *testing.T) {
	_, err := loadText(t, `{
  "mcpServers": {
    "z": {"command": 1},
    "a": {"type": "http"},
    "m": {"url": "x"}
  },
  "check": 5
}`)
	var mistakes config.Mistakes
	if !errors.As(err, &mistakes) {
		t.Fatalf("Load = %v, want Mistakes", err)
	}
	var got []string
	for _, m := range mistakes {
		got = append(got, fmt.Sprintf("%d:%d %s", m.Line, m.Column, m.Field))
	}
	want := []string{"3:22 mcpServers.z.command", "4:5 mcpServers.a.url", "5:18 mcpServers.m.url", "7:12 check"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
}

func TestManyMistakesAreCounted(t *testing.T) {
	var servers strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&servers, `"s%d": 1, `, i)
	}
	_, err := loadText(t, `{"mcpServers": {`+servers.String()+`"last": 1}}`)
	var mistakes config.Mistakes
	if !errors.As(err, &mistakes) || len(mistakes) != 20 {
		t.Fatalf("got %d mistakes, want 20", len(mistakes))
	}
	wantText(t, mistakes[19].Message, "(and 19981 more)")
}

func TestWarnings(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"unknown field", "{\"mcpServers\": {},\n \"limit\": {}}", `:2:2: limit: unknown field; did you mean "limits"?`},
		{"unknown field of a server", `{"mcpServers": {"s": {"command": "x", "arg": []}}}`, `mcpServers.s.arg: unknown field; did you mean "args"?`},
		{"unknown limit", `{"mcpServers": {}, "limits": {"timeout": 5}}`, `limits.timeout: unknown field; did you mean "timeoutMs"?`},
		{"far from all", `{"mcpServers": {}, "xyzzy12345": {}}`, "xyzzy12345: unknown field; the fields here are $schema, approvals, check, "},
		{"unknown field of a login", "{\"mcpServers\": {\"s\": {\"url\": \"http://x\", \"oauth\": {\n\"clientid\": \"x\"}}}}", `:2:1: mcpServers.s.oauth.clientid: unknown field; did you mean "clientId"?`},
		{"unknown field of the endpoint", `{"mcpServers": {}, "search": {"remote": {"url": "http://x", "model": "m", "keey": ""}}}`, `search.remote.keey: unknown field; did you mean "key"?`},
		{"servers of VS Code too", `{"mcpServers": {}, "servers": {}}`, `servers: unknown field; the servers are read from "mcpServers"; rename it`},
		{"enabled", `{"mcpServers": {"s": {"command": "x", "enabled": false}}}`, `mcpServers.s.enabled: unknown field; write "disabled": true`},
		{"environment", `{"mcpServers": {"s": {"command": "x", "environment": {}}}}`, `mcpServers.s.environment: unknown field; did you mean "env"?`},
		{"an endpoint and a model", `{"mcpServers": {}, "search": {"model": "m.gguf", "remote": {"url": "http://x", "model": "m"}}}`, "search.remote: has no effect together with search.model"},
		{"a login and a header", `{"mcpServers": {"s": {"url": "http://x", "headers": {"authorization": "x"}, "oauth": {"scope": "x"}}}}`, "mcpServers.s.oauth: has no effect together with an Authorization header"},
		{"an algorithm without a key", `{"mcpServers": {"s": {"url": "http://x", "oauth": {"signingAlgorithm": "ES256"}}}}`, "oauth.signingAlgorithm: has no effect without privateKey"},
		{"a port without a browser", `{"mcpServers": {"s": {"url": "http://x", "oauth": {"grant": "client_credentials", "clientId": "x", "clientSecret": "x", "callbackPort": 1}}}}`, "oauth.callbackPort: has no effect with the grant client_credentials"},
		{"port", `{"mcpServers": {}, "port": 3000}`, "port: unknown field; the port is never read from a file; use --port or TOOLSCRIPT_PORT"},
		{"token", `{"mcpServers": {}, "token": "x"}`, "the token is never read from a file"},
		{"repeated server", "{\"mcpServers\": {\"s\": {\"command\": \"x\"},\n\"s\": {\"command\": \"y\"}}}", ":2:1: mcpServers.s: written more than once; the last one is used"},
		{"repeated key", `{"mcpServers": {"s": {"command": "x", "command": "y"}}}`, "mcpServers.s.command: written more than once"},
		{"address of a stdio server", `{"mcpServers": {"s": {"type": "stdio", "command": "x", "url": "http://x"}}}`, "mcpServers.s.url: has no effect on a server of type stdio"},
		{"environment of an http server", `{"mcpServers": {"s": {"url": "http://x", "env": {}}}}`, "mcpServers.s.env: has no effect on a server of type http"},
		{"setting with a variable", `{"mcpServers": {}, "engine": "${NO_ENGINE}"}`, "engine: variable NO_ENGINE is not set"},
		{"bidirectional text", `{"mcpServers": {}, "a\u202eb": 1}`, `["a\u202eb"]: unknown field`},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := mustLoad(t, test.text)
			if len(c.Warnings) != 1 {
				t.Fatalf("Warnings = %q, want one", c.Warnings)
			}
			wantText(t, c.Warnings[0], test.want)
		})
	}
}

func TestLastOfRepeatedKeysCounts(t *testing.T) {
	c := mustLoad(t, `{"mcpServers": {"s": {"command": "x"}, "s": {"command": "y", "args": ["z"]}}}`)
	if got := c.Servers["s"].Command; got != "y" {
		t.Errorf("command = %q, want y", got)
	}
}

// Reserved fields have no effect yet. Each causes one warning, even if several files
// have it.
func TestReservedFields(t *testing.T) {
	s := newScene(t)
	const text = `{"mcpServers": {"s": {"url": "http://x", "oauth": {"clientId": "x"}}}, "$schema": "http://x", "search": {},
  "scriptHarness": [], "providers": {"x": {"scriptHarness": {"enabled": true}}},
  "toolPacks": null, "approvals": "${UNSET}"}`
	s.write(s.home, text)
	s.write(s.project, text)
	var got []string
	s.options.Trust = true
	for _, warning := range s.load().Warnings {
		got = append(got, strings.TrimPrefix(warning, filepath.Join(s.home, config.FileName)))
	}
	slices.Sort(got)
	want := []string{
		":2:24: providers: has no effect in this version of toolscript",
		":2:3: scriptHarness: has no effect in this version of toolscript",
		":3:22: approvals: has no effect in this version of toolscript",
		":3:3: toolPacks: has no effect in this version of toolscript",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

// A file of another client, or one with a misspelled field that other fields depend
// on, is an error with a hint for each.
func TestMistakesComeWithUnknownFields(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"VS Code", "{\n \"servers\": {\"a\": {\"command\": \"x\"}},\n \"inputs\": []\n}", []string{
			":1:1: mcpServers: required",
			`:2:2: servers: unknown field; the servers are read from "mcpServers"; rename it`,
			":3:2: inputs: unknown field; the fields here are $schema, approvals, check, engine, limits, mcpServers, ",
		}},
		{"misspelt command", "{\"mcpServers\": {\n \"a\": {\"comand\": \"x\"}}}", []string{
			":2:7: mcpServers.a: needs a command (the program of a stdio server) or a url (the address of an http server)",
			`:2:8: mcpServers.a.comand: unknown field; did you mean "command"?`,
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := loadText(t, test.text)
			lines := strings.Split(err.Error(), "\n")
			if len(lines) != len(test.want) {
				t.Fatalf("%d mistakes, want %d:\n%v", len(lines), len(test.want), err)
			}
			for i, want := range test.want {
				wantText(t, lines[i], want)
			}
		})
	}
}

// onlyMistake loads a text and returns its only mistake.
func onlyMistake(t *testing.T, text string) *config.Mistake {
	t.Helper()
	_, err := loadText(t, text)
	var mistakes config.Mistakes
	if !errors.As(err, &mistakes) || len(mistakes) != 1 {
		t.Fatalf("Load = %v, want one mistake", err)
	}
	if kind := toolscript.KindOf(err); kind != toolscript.Invalid {
		t.Errorf("kind = %s, want invalid", kind)
	}
	return mistakes[0]
}
