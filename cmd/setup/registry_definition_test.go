package setup_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/cmd/setup"
)

func get(t *testing.T, name, version string) setup.Definition {
	t.Helper()
	address, _ := start(t)
	e, err := (&setup.Client{URL: address}).Get(t.Context(), name, version)
	if err != nil {
		t.Fatal(err)
	}
	return e.Server
}

func TestDefinitions(t *testing.T) {
	for _, tt := range []struct {
		server, version  string
		values           map[string]string
		want             []string // kind and definition of each choice
		needed, optional string
		refused          string
	}{
		{
			server: "io.github.octocat/weather-mcp-server",
			want: []string{
				`npm {"command":"npx","args":["-y","@octocat/weather-mcp-server@1.2.0","${WEATHER_CITY}"],"env":{"WEATHER_API_KEY":"${WEATHER_API_KEY}","WEATHER_MODE":"mcp"}}`,
				`oci {"command":"docker","args":["run","-i","--rm","-e","WEATHER_API_KEY","registry.example/octocat/weather:1.2.0"],"env":{"WEATHER_API_KEY":"${WEATHER_API_KEY}"}}`,
			},
			needed: "WEATHER_CITY WEATHER_API_KEY", optional: "WEATHER_UNITS WEATHER_CACHE", refused: "mcpb",
		},
		{
			server: "io.github.octocat/weather-mcp-server", values: map[string]string{"city": "Oslo", "units": "imperial", "verbose": "true", "WEATHER_API_KEY": "${MY_KEY}"},
			want: []string{
				`npm {"command":"npx","args":["-y","@octocat/weather-mcp-server@1.2.0","--units=imperial","Oslo","--verbose"],"env":{"WEATHER_API_KEY":"${MY_KEY}","WEATHER_MODE":"mcp"}}`,
				`oci {"command":"docker","args":["run","-i","--rm","-e","WEATHER_API_KEY","registry.example/octocat/weather:1.2.0"],"env":{"WEATHER_API_KEY":"${WEATHER_API_KEY}"}}`,
			},
			optional: "WEATHER_CACHE", refused: "mcpb",
		},
		{
			server: "io.github.octocat/weather-mcp-server", version: "1.1.0",
			want: []string{`pypi {"command":"uvx","args":["weather-mcp@1.1.0"]}`},
		},
		{
			server: "com.example.sea/weather",
			want: []string{
				`remote {"type":"http","url":"https://eu.sea.example.com/mcp","headers":{"Authorization":"Bearer ${WEATHER_TOKEN}"}}`,
				`remote {"type":"sse","url":"https://sea.example.com/sse"}`,
			},
			needed: "WEATHER_TOKEN", optional: "WEATHER_X_TRACE",
		},
		{
			server: "com.example/mcp",
			want:   []string{`remote {"type":"http","url":"https://mcp.example.com/mcp"}`},
		},
		{server: "evil.example/stealer", refused: "${…}"},
	} {
		t.Run(tt.server+tt.version, func(t *testing.T) {
			choices, refused, err := setup.Choices(get(t, tt.server, tt.version), tt.values, false)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range choices {
				got = append(got, c.Kind+" "+string(c.Definition))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("definitions:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
			if all := strings.Join(refused, "\n"); !strings.Contains(all, tt.refused) || tt.refused == "" && all != "" {
				t.Errorf("refused:\n%s\nwant %q", all, tt.refused)
			}
			if len(choices) > 0 && (names(choices[0].Needed) != tt.needed || names(choices[0].Optional) != tt.optional) {
				t.Errorf("needed %q, optional %q, want %q and %q", names(choices[0].Needed), names(choices[0].Optional), tt.needed, tt.optional)
			}
		})
	}
}

func names(variables []setup.Variable) string {
	var list []string
	for _, v := range variables {
		list = append(list, v.Name)
	}
	return strings.Join(list, " ")
}

// TestAttacks: a server is refused if its texts use variables of the user, if its package looks like
// a flag, or if its secret would be visible in the list of processes.
func TestAttacks(t *testing.T) {
	choices, refused, err := setup.Choices(get(t, "evil.example/stealer", ""), nil, false)
	if err != nil || len(choices) != 0 {
		t.Errorf("choices = %+v, %v", choices, err)
	}
	all := strings.Join(refused, "\n")
	for _, want := range []string{"a variable of yours", "not the name and version of a package", `transport "streamable-http" of a package`, "the list of processes would show"} {
		if !strings.Contains(all, want) {
			t.Errorf("refused without %q:\n%s", want, all)
		}
	}
}

// TestOtherPackages: a package that its package manager would take from another source, or resolve to
// another package, is refused.
func TestOtherPackages(t *testing.T) {
	stdio := setup.Remote{Type: "stdio"}
	for _, tt := range []struct {
		p    setup.Package
		want string // part of the refusal; "" if the package is accepted
	}{
		{setup.Package{RegistryType: "npm", Identifier: "@octo/cat", Version: "1.0.0"}, ""},
		{setup.Package{RegistryType: "npm", Identifier: "cat", RegistryBaseURL: "https://registry.npmjs.org/"}, ""},
		{setup.Package{RegistryType: "oci", Identifier: "ghcr.io/octo/cat:1.0@sha256:0123"}, ""},
		{setup.Package{RegistryType: "npm", Identifier: "octo/cat", Version: "1.0.0"}, "not the name"},
		{setup.Package{RegistryType: "npm", Identifier: "github:octo/cat"}, "not the name"},
		{setup.Package{RegistryType: "npm", Identifier: "cat", Version: "npm:dog@1"}, "not the name"},
		{setup.Package{RegistryType: "npm", Identifier: "cat@npm:dog"}, "not the name"},
		{setup.Package{RegistryType: "npm", Identifier: "cat.tgz/../../x"}, "not the name"},
		{setup.Package{RegistryType: "pypi", Identifier: "./cat"}, "not the name"},
		{setup.Package{RegistryType: "pypi", Identifier: "cat", Version: "1 --with dog"}, "not the name"},
		{setup.Package{RegistryType: "nuget", Identifier: "-cat"}, "not the name"},
		{setup.Package{RegistryType: "oci", Identifier: "--privileged"}, "not the name"},
		{setup.Package{RegistryType: "oci", Identifier: "cat", Version: "1 -v"}, "not the name"},
		{setup.Package{RegistryType: "npm", Identifier: "cat", RegistryBaseURL: "https://evil.example"}, "another registry"},
		{setup.Package{RegistryType: "npm", Identifier: "cat", EnvironmentVariables: []setup.KeyValue{{Name: "npm_config_registry", Input: setup.Input{Value: "https://evil.example"}}}}, "would change which program"},
		{setup.Package{RegistryType: "npm", Identifier: "cat", EnvironmentVariables: []setup.KeyValue{{Name: "HTTPS_PROXY", Input: setup.Input{Value: "http://evil.example"}}}}, "would change which program"},
		{setup.Package{RegistryType: "nuget", Identifier: "cat", EnvironmentVariables: []setup.KeyValue{{Name: "DOTNET_STARTUP_HOOKS", Input: setup.Input{Value: "x.dll"}}}}, "would change which program"},
		{setup.Package{RegistryType: "npm", Identifier: "cat", EnvironmentVariables: []setup.KeyValue{{Name: "NODE_OPTIONS", Input: setup.Input{Value: "--require x"}}}}, "would change which program"},
		{setup.Package{RegistryType: "npm", Identifier: "cat", EnvironmentVariables: []setup.KeyValue{{Name: "A B"}}}, "not the name of a variable"},
		{setup.Package{RegistryType: "mcpb", Identifier: "https://example.com/cat.mcpb"}, "a bundle is taken with --from mcpb"},
	} {
		tt.p.Transport = stdio
		choices, refused, err := setup.Choices(setup.Definition{Name: "com.example/cat", Packages: []setup.Package{tt.p}}, nil, false)
		if err != nil || (len(choices) == 1) != (tt.want == "") || !strings.Contains(strings.Join(refused, ""), tt.want) {
			t.Errorf("%+v: %+v, %q, %v; want %q", tt.p, choices, refused, err, tt.want)
		}
	}
}

// TestFlags: flags of the publisher for the package manager are reported separately.
func TestFlags(t *testing.T) {
	choices, _, err := setup.Choices(setup.Definition{Name: "com.example/cat", Packages: []setup.Package{{
		RegistryType: "oci", Identifier: "cat", Transport: setup.Remote{Type: "stdio"},
		RuntimeArguments: []setup.Argument{{Type: "named", Name: "--rm"}, {Type: "named", Name: "-v", Input: setup.Input{Value: "/:/host"}}, {Type: "named", Name: "--privileged"}},
	}}}, nil, false)
	if err != nil || len(choices) != 1 || !slices.Equal(choices[0].Flags, []string{"-v", "/:/host", "--privileged"}) {
		t.Errorf("choices = %+v, %v", choices, err)
	}
}

func TestWrongValues(t *testing.T) {
	s := get(t, "io.github.octocat/weather-mcp-server", "")
	for key, value := range map[string]string{"none": "x", "units": "kelvin", "WEATHER_API_KEY": "sk-12345"} {
		if choices, _, err := setup.Choices(s, map[string]string{key: value}, false); err == nil || strings.Contains(err.Error(), "sk-12345") {
			t.Errorf("%s=%s: %+v, %v", key, value, choices, err)
		}
	}
}

// TestSecretStore: secrets become references to the store, other inputs become variables.
func TestSecretStore(t *testing.T) {
	choices, _, err := setup.Choices(get(t, "io.github.octocat/weather-mcp-server", ""), nil, true)
	if err != nil || len(choices) != 2 {
		t.Fatalf("choices = %+v, %v", choices, err)
	}
	if got := string(choices[0].Definition); !strings.Contains(got, `"WEATHER_API_KEY":"${secret:WEATHER_API_KEY}"`) || !strings.Contains(got, `"${WEATHER_CITY}"`) {
		t.Error(got)
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string][2]string{
		"io.github.octocat/weather-mcp-server": {"weather", "io.github.octocat (the account octocat at github)"},
		"com.example/mcp":                      {"example", "com.example (the owner of the domain example.com)"},
		"com.example/Mcp_Server.files":         {"files", "com.example (the owner of the domain example.com)"},
	} {
		s := setup.Definition{Name: name}
		if got := [2]string{s.LocalName(), s.Publisher()}; got != want || !setup.IsName(name) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{"weather", "a/b/c", "../x", "a/", "/b", "a b/c"} {
		if setup.IsName(name) {
			t.Errorf("IsName(%q)", name)
		}
	}
}
