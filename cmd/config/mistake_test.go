package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/cmd/config"
)

func TestSyntaxErrors(t *testing.T) {
	for _, test := range []struct {
		name, text   string
		line, column int
		message      string // parts of the message, with "…" between them
		excerpt      string
	}{
		{"empty", "", 1, 1, "mcpServers", ""},
		{"blank", " \n ", 1, 1, "empty", ""},
		{"commas too many", "{\n\t\"mcpServers\": {},,\n}", 2, 19, "invalid character ','", ""},
		{"a comma alone", `{"mcpServers": {"a": {"args": [, ]}}}`, 1, 32, "invalid character ','", ""},
		{"comma missing", "{\"mcpServers\": {\"a\": {\"command\": \"x\"\n\t\"args\": []}}}", 2, 2, "comma is missing", "\t\"args\": []}}}\n\t^"},
		{"comment of a shell", "{\n  # servers\n  \"mcpServers\": {}}", 2, 3, "begins with //", "  # servers\n  ^"},
		{"comment without an end", "{\n  /* servers\n  \"mcpServers\": {}}", 2, 3, "the comment has no end", "  /* servers\n  ^"},
		{"mistake behind a comment", "{ // ä\n /* b */ x}", 2, 10, "invalid character 'x'", " /* b */ x}\n         ^"},
		{"single quotes", `{'mcpServers': {}}`, 1, 2, "double quotes", "{'mcpServers': {}}\n ^"},
		{"not closed", "{\"mcpServers\": {\n\n", 1, 17, "not closed", "{\"mcpServers\": {\n                ^"},
		{"text behind", `{"mcpServers": {}} x`, 1, 20, "after top-level value", ""},
		{"behind characters of several bytes", `{"ä€😀": x}`, 1, 9, "invalid character 'x'", "{\"ä€😀\": x}\n        ^"},
		{"byte order mark", "\ufeff{x", 1, 2, "invalid character 'x'", "{x\n ^"},
		{"not UTF-8", "{\"a\": \"\xff\"}", 1, 8, "UTF-8", ""},
		{"UTF-16", "\xff\xfe{\x00}\x00", 1, 1, "UTF-8", ""},
		{"escape sequence of a terminal", "{\x1b[2J", 1, 2, "invalid character", "{\\u{1B}[2J\n ^"},
		{"carriage return", "{\r\n  x\r\n}", 2, 3, "invalid character 'x'", "  x\n  ^"},
		{"number out of range", `{"mcpServers": 1e999}`, 1, 16, "an object, found a number", ""},
		{"nested too deep", strings.Repeat("[", 200) + strings.Repeat("]", 200), 1, 66, "64 levels", ""},
		{"nested far too deep", strings.Repeat("[", 100_000), 1, 10_001, "exceeded max depth", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := onlyMistake(t, test.text)
			if m.Line != test.line || m.Column != test.column {
				t.Errorf("place of %q = %d:%d, want %d:%d", m.Message, m.Line, m.Column, test.line, test.column)
			}
			wantText(t, m.Message, strings.Split(test.message, "…")...)
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
	for _, test := range []struct {
		name, text, field, message string /* parts of the message, with "…" between them */
	}{
		{"not an object", `[]`, "", "object…array"},
		{"no servers", `{}`, "mcpServers", "required"},
		{"servers a list", `{"mcpServers": []}`, "mcpServers", "object…array"},
		{"server null", `{"mcpServers": {"s": null}}`, "mcpServers.s", "object…null"},
		{"server without a kind", server(``), "mcpServers.s", "command…url"},
		{"server of two kinds", server(`"command": "x", "url": "http://x"`), "mcpServers.s", "command and url"},
		{"stdio without command", server(`"type": "stdio"`), "mcpServers.s.command", "required"},
		{"http without url", server(`"type": "http"`), "mcpServers.s.url", "required"},
		{"sse without url", server(`"type": "sse", "command": "x"`), "mcpServers.s.url", "required"},
		{"unknown type", server(`"type": "studio", "command": "x"`), "mcpServers.s.type",
			`"stdio", "http", "streamable-http", "sse"… "stdio"?`},
		{"empty command", server(`"command": ""`), "mcpServers.s.command", "empty"},
		{"command a number", server(`"command": 7`), "mcpServers.s.command", "string…number"},
		{"an argument that is null", server(`"command": "x", "args": ["a", null]`), "mcpServers.s.args[1]", "string…null"},
		{"variable a list", server(`"command": "x", "env": {"A.B": []}`), `mcpServers.s.env["A.B"]`, "string…array"},
		{"a password that is true", server(`"type": "openapi", "spec": "x", "auth": {"type": "bearer", "token": true}`), "mcpServers.s.auth.token", "string…true or false"},
		{"variable without a name", server(`"command": "x", "env": {"": "x"}`), `mcpServers.s.env[""]`, "environment variable"},
		{"variable with an equals sign", server(`"command": "x", "env": {"A=B": "x"}`), `mcpServers.s.env["A=B"]`, "equals sign"},
		{"inheritEnv a string", server(`"command": "x", "inheritEnv": "HOME"`), "mcpServers.s.inheritEnv", "true or false…array…string"},
		{"address without a scheme", server(`"url": "example.com/mcp"`), "mcpServers.s.url", "http"},
		{"address of a file", server(`"url": "file:///etc/passwd"`), "mcpServers.s.url", "http"},
		{"address that does not parse", server(`"url": "http://exa mple"`), "mcpServers.s.url", "http"},
		{"bad header name", server(`"url": "http://x", "headers": {"a b": "x"}`), `mcpServers.s.headers["a b"]`, "HTTP header"},
		{"timeout a word", server(`"command": "x", "timeout": "soon"`), "mcpServers.s.timeout", "1ms…24h"},
		{"timeout zero", server(`"command": "x", "timeout": 0`), "mcpServers.s.timeout", "at least 1"},
		{"timeout zero as a text", server(`"command": "x", "timeout": "0s"`), "mcpServers.s.timeout", "1ms…24h"},
		{"timeout too long", server(`"command": "x", "timeout": "25h"`), "mcpServers.s.timeout", "1ms…24h"},
		{"timeout beyond numbers", server(`"command": "x", "timeout": 1e300`), "mcpServers.s.timeout", "at most 86400000"},
		{"timeout a fraction", server(`"command": "x", "timeout": 1.5`), "mcpServers.s.timeout", "whole number…string…fraction"},
		{"server without a name", `{"mcpServers": {"": {"command": "x"}}}`, `mcpServers[""]`, "name…empty"},
		{"server with a terminal sequence", `{"mcpServers": {"a\u001b[2J": {"command": "x"}}}`, `mcpServers["a\x1b[2J"]`, "control characters"},
		{"unknown engine", `{"mcpServers": {}, "engine": "v8"}`, "engine", `"auto", "quickjs", "deno"`},
		{"unknown check", `{"mcpServers": {}, "check": "wran"}`, "check", ` "warn"?`},
		{"limit a text", `{"mcpServers": {}, "limits": {"memoryMb": "64"}}`, "limits.memoryMb", "whole number…string"},
		{"override with a wrong name", server(`"command": "x", "overrides": {"a": {"name": "b c"}}`), "mcpServers.s.overrides.a.name", "letters, digits"},
		{"override without a text", server(`"command": "x", "overrides": {"a": {"description": ""}}`), "mcpServers.s.overrides.a.description", "empty"},
		{"override with a hint that is a text", server(`"command": "x", "overrides": {"a": {"annotations": {"readOnlyHint": "yes"}}}`), "mcpServers.s.overrides.a.annotations.readOnlyHint", "true or false…string"},
		{"confine to an unknown profile", server(`"command": "x", "confine": "readnoly"`), "mcpServers.s.confine", `"readonly"?`},
		{"confine with an unknown profile", server(`"command": "x", "confine": {"profile": "all"}`), "mcpServers.s.confine.profile", `"readonly", "project", "offline"`},
		{"confine with the whole network", server(`"command": "x", "confine": {"net": true}`), "mcpServers.s.confine.net", "hosts and ports…false"},
		{"confine to a host without a port", server(`"command": "x", "confine": {"net": ["a.example:443", "b.example"]}`), "mcpServers.s.confine.net[1]", "b.example…a host and a port"},
		{"confine to some hosts", server(`"command": "x", "confine": {"net": ["*.example.com:443"]}`), "mcpServers.s.confine.net[0]", "in full"},
		{"confine to an address", server(`"command": "x", "confine": {"net": ["https://a.example:443"]}`), "mcpServers.s.confine.net[0]", "a host and a port"},
		{"confine to a port that is too high", server(`"command": "x", "confine": {"net": ["a.example:65536"]}`), "mcpServers.s.confine.net[0]", "1 to 65535"},
		{"confine of numbers", server(`"command": "x", "confine": {"read": [1]}`), "mcpServers.s.confine.read[0]", "string…number"},
		{"commands with confine and exec", server(`"type": "command", "commands": {"a": {"run": ["b"]}}, "exec": {"network": true}, "confine": "readonly"`), "mcpServers.s.exec", `together with "confine"`},
		{"confine of a fleet's server", server(`"fleet": true, "confine": "readonly"`), "mcpServers.s.confine", "hub"},
		{"two tools of one name", server(`"command": "x", "overrides": {"a": {"name": "c"}, "b": {"name": "c"}}`), "mcpServers.s.overrides.b.name", "name of tool a too"},
		{"profile without a list", `{"mcpServers": {}, "profiles": {"a": {}}}`, "profiles.a.allow", "required"},
		{"profile with a wrong name", `{"mcpServers": {}, "profiles": {"a b": {"allow": []}}}`, `profiles["a b"]`, "letters, digits"},
		{"profile with an empty entry", `{"mcpServers": {}, "profiles": {"a": {"allow": [""]}}}`, "profiles.a.allow[0]", "empty"},
		{"profile that is a list", `{"mcpServers": {}, "profiles": {"a": ["x"]}}`, "profiles.a", "object…array"},
		{"unknown profile", `{"mcpServers": {}, "profiles": {"a": {"allow": []}, "b": {"allow": []}}, "profile": "c"}`, "profile", `no profile "c"; there are: a, b`},
		{"profile of none", `{"mcpServers": {}, "profile": "c"}`, "profile", `no profile "c", because the configuration has none`},
		{"profile of a variable", `{"mcpServers": {}, "profile": "${NOT_SET_HERE}"}`, "profile", "NOT_SET_HERE is not set"},
		{"limit zero", `{"mcpServers": {}, "limits": {"toolCalls": 0}}`, "limits.toolCalls", "at least 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := onlyMistake(t, test.text)
			if m.Field != test.field {
				t.Errorf("field = %s, want %s", m.Field, test.field)
			}
			wantText(t, m.Message, strings.Split(test.message, "…")...)
		})
	}
}

func TestMistakesAreInTheOrderOfTheFile(t *testing.T) {
	_, all := mistakes(t, `{
  "mcpServers": {
    "z": {"command": 1},
    "a": {"type": "http"},
    "m": {"url": "x"}
  },
  "check": 5
}`)
	var got []string
	for _, m := range all {
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
	loaded, all := mistakes(t, `{"mcpServers": {`+servers.String()+`"last": 1}}`)
	if loaded == nil || len(all) != 20 {
		t.Fatalf("got %d mistakes, want 20", len(all))
	}
	wantText(t, all[19].Message, "(and 19981 more)")
	if c := loaded.Servers["last"]; c.Problem == nil || !strings.Contains(c.Problem.Error(), "config validate") {
		t.Errorf("problem of the last server = %v", c.Problem)
	}
}

func TestWarnings(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"unknown field", "{\"mcpServers\": {},\n \"limit\": {}}", `:2:2: limit: … "limits"?`},
		{"unknown field of a server", `{"mcpServers": {"s": {"command": "x", "arg": []}}}`, `mcpServers.s.arg: … "args"?`},
		{"unknown limit", `{"mcpServers": {}, "limits": {"timeout": 5}}`, `limits.timeout: … "timeoutMs"?`},
		{"far from all", `{"mcpServers": {}, "xyzzy12345": {}}`, "xyzzy12345: … $schema, approvals, audit, check, "},
		{"unknown field of a login", "{\"mcpServers\": {\"s\": {\"url\": \"http://x\", \"oauth\": {\n\"clientid\": \"x\"}}}}", `:2:1: mcpServers.s.oauth.clientid: … "clientId"?`},
		{"unknown field of the endpoint", `{"mcpServers": {}, "search": {"remote": {"url": "http://x", "model": "m", "keey": ""}}}`, `search.remote.keey: … "key"?`},
		{"servers of VS Code too", `{"mcpServers": {}, "servers": {}}`, `servers: …"mcpServers"`},
		{"enabled", `{"mcpServers": {"s": {"command": "x", "enabled": false}}}`, `mcpServers.s.enabled: …"disabled": true`},
		{"environment", `{"mcpServers": {"s": {"command": "x", "environment": {}}}}`, `mcpServers.s.environment: … "env"?`},
		{"an endpoint and a model", `{"mcpServers": {}, "search": {"model": "m.gguf", "remote": {"url": "http://x", "model": "m"}}}`, "search.remote: …search.model"},
		{"a login and a header", `{"mcpServers": {"s": {"url": "http://x", "headers": {"authorization": "x"}, "oauth": {"scope": "x"}}}}`, "mcpServers.s.oauth: …Authorization"},
		{"an algorithm without a key", `{"mcpServers": {"s": {"url": "http://x", "oauth": {"signingAlgorithm": "ES256"}}}}`, "oauth.signingAlgorithm: …privateKey"},
		{"a port without a browser", `{"mcpServers": {"s": {"url": "http://x", "oauth": {"grant": "client_credentials", "clientId": "x", "clientSecret": "x", "callbackPort": 1}}}}`, "oauth.callbackPort: …client_credentials"},
		{"port", `{"mcpServers": {}, "port": 3000}`, "port: …--port…TOOLSCRIPT_PORT"},
		{"token", `{"mcpServers": {}, "token": "x"}`, "token: "},
		{"repeated server", "{\"mcpServers\": {\"s\": {\"command\": \"x\"},\n\"s\": {\"command\": \"y\"}}}", ":2:1: mcpServers.s: …more than once"},
		{"repeated key", `{"mcpServers": {"s": {"command": "x", "command": "y"}}}`, "mcpServers.s.command: …more than once"},
		{"address of a stdio server", `{"mcpServers": {"s": {"type": "stdio", "command": "x", "url": "http://x"}}}`, "mcpServers.s.url: …stdio"},
		{"environment of an http server", `{"mcpServers": {"s": {"url": "http://x", "env": {}}}}`, "mcpServers.s.env: …http"},
		{"setting with a variable", `{"mcpServers": {}, "engine": "${NO_ENGINE}"}`, "engine: …NO_ENGINE"},
		{"bidirectional text", `{"mcpServers": {}, "a\u202eb": 1}`, `["a\u202eb"]: `},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := mustLoad(t, test.text)
			if len(c.Warnings) != 1 {
				t.Fatalf("Warnings = %q, want one", c.Warnings)
			}
			wantText(t, c.Warnings[0], strings.Split(test.want, "…")...)
		})
	}
}

func TestLastOfRepeatedKeysCounts(t *testing.T) {
	c := mustLoad(t, `{"mcpServers": {"s": {"command": "x"}, "s": {"command": "y", "args": ["z"]}}}`)
	if got := c.Servers["s"].Command; got != "y" {
		t.Errorf("command = %q, want y", got)
	}
}

// A file of another client, or with a misspelled field on which other fields depend, is an
// error with a hint for each unknown field.
func TestMistakesComeWithUnknownFields(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"VS Code", "{\n \"servers\": {\"a\": {\"command\": \"x\"}},\n \"inputs\": []\n}", []string{
			":1:1: mcpServers: required",
			`:2:2: servers: unknown field; the servers are read from "mcpServers"; rename it`,
			":3:2: inputs: unknown field; the fields here are $schema, approvals, audit, check, defaults, engine, fleet, hub, limits, mcpServers, ",
		}},
		{"misspelt command", "{\"mcpServers\": {\n \"a\": {\"comand\": \"x\"}}}", []string{
			":2:7: mcpServers.a: needs a command (the program of a stdio server) or a url (the address of an http server), or \"fleet\": true",
			`:2:8: mcpServers.a.comand: unknown field; did you mean "command"?`,
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, all := mistakes(t, test.text)
			lines := strings.Split(all.Error(), "\n")
			if len(lines) != len(test.want) {
				t.Fatalf("%d mistakes, want %d:\n%v", len(lines), len(test.want), all)
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
	_, all := mistakes(t, text)
	if len(all) != 1 {
		t.Fatalf("%d mistakes, want one:\n%v", len(all), all)
	}
	return all[0]
}
