package config_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/transport/oauth"
	"github.com/toolscript/toolscript/transport/upstream"
)

func TestLoadComplete(t *testing.T) {
	s := newScene(t)
	text, err := os.ReadFile(filepath.Join("testdata", "complete.toolscript.json"))
	if err != nil {
		t.Fatal(err)
	}
	s.write(s.home, string(text))
	s.env["GITHUB_TOKEN"] = "ghp_secret"
	got := s.load()
	want := &config.Config{
		Servers: map[string]upstream.Config{
			"github": {
				Type: upstream.Stdio, Command: "npx", Args: []string{"-y", "@modelcontextprotocol/server-github"},
				Env: map[string]string{"GITHUB_TOKEN": "ghp_secret"}, InheritNames: []string{"GITHUB_API_URL"},
				Dir: filepath.Join(s.home, "tools"), ExcludeTools: []string{"delete_*"}, Timeout: 2 * time.Minute, Idle: time.Hour,
				Secrets: map[string]string{"${GITHUB_TOKEN}": "ghp_secret"},
				Overrides: map[string]toolscript.Override{
					"create_issue": {Name: "newIssue", Description: "Opens an issue.", Annotations: toolscript.Annotations{ReadOnly: new(false), Destructive: new(false), Idempotent: new(true), OpenWorld: new(true)}},
					"get_me":       {Name: "me"},
				},
			},
			"api": {
				Type: upstream.HTTP, URL: "https://api.example.com/mcp", Headers: map[string]string{"Authorization": "Bearer none"},
				IncludeTools: []string{"search", "read"}, Timeout: time.Minute,
			},
			"old":     {Type: upstream.SSE, URL: "http://127.0.0.1:8931/sse", Timeout: 5 * time.Second, RateLimit: upstream.RateLimit{Calls: 60, Per: time.Minute, Burst: 10}},
			"files":   {Type: upstream.Stdio, Command: "file-server", Confine: &upstream.Confine{Read: []string{filepath.Join(s.home, "data"), filepath.Join(s.home, "docs")}, Write: []string{"/srv/files"}, Net: []string{"api.example.com:443"}}, InheritEnv: true, Timeout: time.Minute, Idle: 10 * time.Minute, RateLimit: upstream.RateLimit{Calls: 2, Per: 1500 * time.Millisecond, Burst: 1}},
			"notes":   {Type: upstream.Stdio, Command: "note-server", Confine: &upstream.Confine{Write: []string{s.project}}, Timeout: time.Minute, Idle: time.Hour, Dir: s.project, Shared: upstream.SharedProject},
			"remote":  {Type: upstream.Fleet, Timeout: 30 * time.Second, IncludeTools: []string{"read_*"}},
			"tickets": {Type: upstream.Fleet, Timeout: time.Minute},
			"plain":   {Type: upstream.HTTP, URL: "https://plain.example.com/mcp", Timeout: time.Minute, Shared: upstream.SharedHost},
			"document": {
				Type: upstream.OpenAPI, Timeout: time.Minute,
				API: json.RawMessage(`{"auth":{"token":"t","type":"bearer"},"baseUrl":"https://api.example.com","operations":["tag:issues"],"spec":"https://api.example.com/openapi.json"}`),
			},
			"keyed": {
				Type: upstream.OpenAPI, Timeout: time.Minute,
				API: json.RawMessage(`{"auth":{"password":"p","type":"basic","username":"u"},"baseUrl":"https://api.example.com","spec":"/srv/api.yaml"}`),
			},
			"named": {
				Type: upstream.OpenAPI, Timeout: time.Minute,
				API: json.RawMessage(`{"auth":{"name":"X-Key","type":"header","value":"v"},"baseUrl":"https://api.example.com","spec":"/srv/api.yaml"}`),
			},
			"graph": {
				Type: upstream.GraphQL, Timeout: time.Minute,
				API: json.RawMessage(`{"auth":{"type":"none"},"operations":["get*"],"spec":"/srv/schema.graphql","url":"https://api.example.com/graphql"}`),
			},
			"programs": {
				Type: upstream.Command, Root: filepath.FromSlash("/srv"), Timeout: time.Minute,
				Confine: &upstream.Confine{Read: []string{filepath.FromSlash("/srv")}, Net: []string{"api.example.com:443"}},
				Commands: json.RawMessage(`{"list":{"description":"Lists a folder.","exitCodes":[0,2],"output":"text","parameters":{"all":{"flag":"-a","optional":true,"type":"boolean"},` +
					`"folder":"the folder"},"readOnly":true,"result":{"type":"string"},"run":["ls","{all}","--","{folder}"],"timeout":"5s"}}`),
			},
			"guarded": {
				Type: upstream.HTTP, URL: "https://guarded.example.com/mcp", Timeout: time.Minute,
				OAuth: oauth.Config{
					ClientID: "toolscript", Scope: "read write", CallbackPort: 8976, Storage: oauth.StorageKeyring,
					ClientMetadataURL: "https://example.com/toolscript.json",
				},
			},
			"robot": {
				Type: upstream.HTTP, URL: "https://robot.example.com/mcp", Timeout: time.Minute,
				OAuth: oauth.Config{Grant: oauth.ClientCredentials, ClientID: "robot", ClientSecret: "none", Issuer: "https://login.example.com"},
			},
			"asleep":   {Type: upstream.Stdio, Disabled: true, Command: "later", Timeout: time.Minute},
			"imported": {Type: upstream.HTTP, URL: "https://imported.example.com/mcp", Timeout: time.Minute},
			"workspace": {
				Type: upstream.Builtin, Root: filepath.Join(s.home, "work"), Tools: []string{"readFile", "listDir"}, Timeout: time.Minute,
				Settings: upstream.BuiltinSettings{Exec: upstream.ExecSettings{Network: true, Writable: []string{filepath.Join(s.home, "cache")}},
					Web: upstream.WebSettings{AllowHosts: []string{"localhost:3000", "10.0.0.0/8"}, Search: upstream.SearchSettings{
						Provider: upstream.Brave, Key: "sk", URL: "https://search.example.com",
					}}, Agents: upstream.AgentSettings{Provider: "anthropic", Models: []string{"m-2"}, MaxTokens: 1000, Depth: 3, Turns: 7, Calls: 70}},
			},
		},
		Settings: config.Settings{Engine: "quickjs", Check: "warn", Types: config.Types{OpenObjects: true, NoObserve: true, Describe: new(80)}, Limits: toolscript.Limits{
			TimeoutMs: 300_000, CPUMs: 30_000, MemoryMB: 64, StackKB: 512, ToolCalls: 1000, Concurrency: 16, Questions: 20,
			SourceBytes: 1 << 20, ValueBytes: 10 << 20, OutputBytes: 10_000_000,
		}, Profiles: map[string]config.Profile{
			"review":  {Description: "Looks.", Allow: toolscript.Filter{"github", "files__read_*"}},
			"nothing": {Allow: toolscript.Filter{}},
		}, Profile: "review", ToolPacks: toolscript.ToolPacks{
			"reading": {Tools: []string{"readFile", "listDir", "github__get_issue"}},
			"review":  {Extends: []string{"reading"}, Tools: []string{"readFile"}},
		}, Telemetry: config.Telemetry{MetricsPort: 9464, Tools: toolscript.Filter{"github", "files__read"}, Endpoint: "http://127.0.0.1:4318", Headers: map[string]string{"X-Key": "k"}}, Harness: config.Harness{Mode: "dry-run", Providers: map[string]config.Provider{
			"openai": {Disabled: true}, "anthropic": {API: "messages", URL: "https://models.example.com/v1", Model: "m-1", Key: "k", MaxTokens: 4096},
		}}, Search: config.Search{Lexical: true, NoCache: true, Limit: 5, Alpha: new(0.5), Threshold: new(0.0),
			Model: "/m/bge.gguf", Library: "/m", Remote: config.Remote{URL: "https://api.example.com/v1", Model: "m", Key: "k"}},
			Audit: config.Audit{Off: true, FileMB: 1, KeepMB: 8, KeepDays: 30, Recipients: []string{"age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"}},
			Pins:  toolscript.PinsQuarantine,
			Fleet: config.Fleet{
				Source: filepath.Join(s.home, config.FileName), URL: "nats://a.example.com:4222,nats://b.example.com:4222", Credentials: filepath.Join(s.home, "fleet", "me.creds"),
				CA: filepath.Join(s.home, "ca.pem"), Cert: "/etc/fleet/cert.pem", Key: "/etc/fleet/key.pem", User: "desk-7", Use: []string{"tickets", "github"},
			},
			Pool: config.PoolOfFleet, StoreScopes: []string{"session", "user"},
			Approvals: toolscript.Approvals{{
				Default: toolscript.ApprovalAskDestructive, Timeout: time.Minute,
				Rules: []toolscript.ApprovalRule{{Match: []string{"github", "files__write_*"}, Action: toolscript.ApprovalAsk}},
			}}, ConfirmAtTerminal: true},
		Files: []config.File{{Path: filepath.Join(s.home, config.FileName), Found: true, Trusted: true}},
	}
	if len(got.Warnings) != 1 { // search.remote with search.model
		t.Errorf("Warnings = %q, want one", got.Warnings)
	}
	got.Warnings = nil
	for name, server := range want.Servers {
		server.Source, server.Written = want.Files[0].Path, got.Servers[name].Written // see TestWritten
		want.Servers[name] = server
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Load (-want +got):\n%s", diff)
	}
}

func TestLoadNothing(t *testing.T) {
	s := newScene(t)
	c := s.load()
	if len(c.Servers) != 0 || len(c.Warnings) != 0 {
		t.Errorf("Load without files = %v servers, warnings %q; want none", len(c.Servers), c.Warnings)
	}
	if len(c.Files) != 1 || c.Files[0].Found {
		t.Errorf("Files = %+v, want the user's file, not found", c.Files)
	}
}

func TestLoadMergesServersWhole(t *testing.T) {
	s := newScene(t)
	s.write(s.home, `{"mcpServers": {
		"a": {"command": "user", "args": ["x"], "env": {"K": "v"}},
		"b": {"command": "user"}},
		"engine": "quickjs", "limits": {"memoryMb": 64, "toolCalls": 5, "answersMb": 100}}`)
	s.write(s.project, `{"mcpServers": {"a": {"command": "project"}, "c": {"command": "project"}}, "limits": {"memoryMb": 32}}`)
	s.trust()
	c := s.load()
	for name, want := range map[string]string{"a": "project", "b": "user", "c": "project"} {
		if got := c.Servers[name].Command; got != want {
			t.Errorf("command of %s = %q, want %q", name, got, want)
		}
	}
	if a := c.Servers["a"]; len(a.Args) != 0 || len(a.Env) != 0 {
		t.Errorf("server a keeps args %q and env of the earlier file", a.Args)
	}
	want := config.Settings{Engine: "quickjs", Limits: toolscript.Limits{MemoryMB: 32, ToolCalls: 5}, AnswersMB: 100}
	if diff := cmp.Diff(want, c.Settings); diff != "" {
		t.Errorf("Settings (-want +got):\n%s", diff)
	}
}

func TestLoadNamedFiles(t *testing.T) {
	s := newScene(t)
	s.write(s.home, `{"mcpServers": {"home": {"command": "x"}}}`)
	one := s.write(filepath.Join(s.project, "one"), `{"mcpServers": {"one": {"command": "${X:-x}"}, "both": {"command": "1"}}}`)
	s.write(filepath.Join(s.project, "two"), `{"mcpServers": {"both": {"command": "2"}}}`)
	list := " " + one + " , two/" + config.FileName

	for name, set := range map[string]func(){
		"flag":     func() { s.options.Config, s.env["TOOLSCRIPT_CONFIG"] = list, "ignored.json" },
		"variable": func() { s.options.Config, s.env["TOOLSCRIPT_CONFIG"] = "", list },
	} {
		t.Run(name, func(t *testing.T) {
			set()
			c := s.load()
			if len(c.Servers) != 2 || c.Servers["both"].Command != "2" || c.Servers["one"].Command != "x" {
				t.Errorf("Servers = %v, want one and both, the later winning", c.Servers)
			}
			for _, server := range c.Servers {
				if server.Problem != nil || server.Dir != "" {
					t.Errorf("a named file is trusted and its servers run where the gateway does: %v, %q", server.Problem, server.Dir)
				}
			}
			if len(c.Warnings) != 0 {
				t.Errorf("Warnings = %q, want none", c.Warnings)
			}
		})
	}
}

func TestLoadSkipsUnreadable(t *testing.T) {
	s := newScene(t)
	if err := os.Mkdir(filepath.Join(s.home, config.FileName), 0o700); err != nil {
		t.Fatal(err)
	}
	c := s.load()
	if len(c.Warnings) != 1 {
		t.Fatalf("Warnings = %q, want one", c.Warnings)
	}
	wantText(t, c.Warnings[0], "is not a regular file")
	s.options.Strict = true
	if _, err := config.Load(s.options); err == nil {
		t.Error("Load with Strict leaves the file out")
	}
}

func TestLoadRefusesHugeFile(t *testing.T) {
	s := newScene(t)
	s.write(s.home, `{"mcpServers": {}}`+strings.Repeat(" ", 1<<20))
	c := s.load()
	if len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "is larger than 1024 KiB") {
		t.Errorf("Warnings = %q, want one about the size", c.Warnings)
	}
}

func TestLoadReadsNamedPipe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no /dev/fd")
	}
	s := newScene(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }() // opened for reading
	if _, err := w.WriteString(`{"mcpServers": {"a": {"command": "x"}}}`); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	s.options.Config = filepath.Join("/dev/fd", strconv.Itoa(int(r.Fd())))
	if c := s.load(); c.Servers["a"].Command != "x" {
		t.Errorf("Servers = %v, warnings %q; want what the pipe holds", c.Servers, c.Warnings)
	}
}

func TestLoadShowsMistakesOfAllFiles(t *testing.T) {
	s := newScene(t)
	user := s.write(s.home, `{"mcpServers": {"a": {"command": 1}}}`)
	project := s.write(s.project, `{"mcpServers": [`)
	_, err := config.Load(s.options)
	if toolscript.KindOf(err) != toolscript.Invalid {
		t.Fatalf("Load = %v, want kind invalid", err)
	}
	wantText(t, err.Error(), user+":1:34: mcpServers.a.command: ", project+":1:17: ")
}

func TestLoadKeepsValuesOutOfText(t *testing.T) {
	s := newScene(t)
	s.env["SECRET"] = "hunter2"
	s.write(s.home, `{"mcpServers": {
		"a": {"type": "${SECRET}", "url": "${SECRET}", "timeout": "${SECRET}", "command": "x", "headers": {"X": 1}},
		"b": {"command": "x", "typ": "${SECRET}", "${SECRET}": "${SECRET}"},
		"c": {"url": "https://x", "oauth": {"grant": "client_credentials", "clientSecret": "${SECRET}"}}}}`)
	c := s.load()
	if text := strings.Join(c.Notices(), "\n"); len(c.Mistakes) == 0 || strings.Contains(text, "hunter2") {
		t.Errorf("notices = %s, want mistakes without the value of SECRET", text)
	}
}
