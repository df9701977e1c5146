package clients_test

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/toolscript/toolscript/cmd/clients"
	"github.com/toolscript/toolscript/cmd/config"
)

var update = flag.Bool("update", false, "write the golden files")

// scene is a home folder and a project with files of clients.
type scene struct {
	testing.TB
	home, project string
	env           map[string]string
	places        clients.Places
	targets       clients.Targets
	backups       clients.Backups
}

func newScene(tb testing.TB) *scene {
	tb.Helper()
	root, err := filepath.EvalSymlinks(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	s := &scene{TB: tb, home: filepath.Join(root, "home"), project: filepath.Join(root, "home", "work"), env: map[string]string{}}
	if err := os.MkdirAll(filepath.Join(s.project, ".git"), 0o755); err != nil {
		tb.Fatal(err)
	}
	s.places = clients.Places{Home: s.home, Project: s.project, System: "linux", Lookup: func(name string) (string, bool) {
		value, ok := s.env[name]
		return value, ok
	}}
	s.targets = clients.Targets{
		User:    clients.File{Path: filepath.Join(s.home, config.FileName), Root: s.home},
		Project: clients.File{Path: filepath.Join(s.project, config.FileName), Root: s.project, Project: true},
	}
	clock := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s.backups = clients.Backups{Folder: filepath.Join(root, "backups"), Now: func() time.Time {
		clock = clock.Add(time.Second)
		return clock
	}}
	return s
}

// path converts $HOME/… or $PROJECT/… into a path.
func (s *scene) path(name string) string {
	return filepath.FromSlash(strings.NewReplacer("$HOME", s.home, "$PROJECT", s.project).Replace(name))
}

func (s *scene) write(name, text string) {
	s.Helper()
	path := s.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.Fatal(err)
	}
}

func (s *scene) read(name string) string {
	s.Helper()
	text, err := os.ReadFile(s.path(name))
	if err != nil {
		s.Fatal(err)
	}
	return string(text)
}

// plain replaces the paths of folders in a text by $HOME and $PROJECT.
func (s *scene) plain(text string) string {
	return strings.NewReplacer(s.project, "$PROJECT", s.home, "$HOME").Replace(text)
}

func (s *scene) plan(from string) *clients.Import {
	s.Helper()
	var client *clients.Client
	if from != "" {
		var err error
		if client, err = clients.Find(from, clients.Names()); err != nil {
			s.Fatal(err)
		}
	}
	plan, err := clients.Plan(s.places, s.targets, clients.Options{From: client})
	if err != nil {
		s.Fatal(err)
	}
	return plan
}

// find returns a client in which toolscript can be registered.
func (s *scene) find(name string) *clients.Client {
	s.Helper()
	c, err := clients.Find(name, clients.Connectable())
	if err != nil {
		s.Fatal(err)
	}
	return c
}

// load loads the files of toolscript.
func (s *scene) load() (*config.Config, error) {
	return config.Load(config.Options{WorkDir: s.project, Trust: true, LookupEnv: func(name string) (string, bool) {
		return map[string]string{"HOME": s.home}[name], name == "HOME"
	}})
}

func (s *scene) apply(kind string, changes []*clients.Change) {
	s.Helper()
	if _, err := s.backups.Apply(kind, changes); err != nil {
		s.Fatal(err)
	}
}

// TestImport imports the files of each archive, and compares the whole result with the part
// "want". The first line of an archive is the name of the client, or "all".
func TestImport(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			s := newScene(t)
			want := -1
			for i, f := range archive.Files {
				switch text := strings.NewReplacer("$HOME", s.home, "$PROJECT", s.project).Replace(string(f.Data)); f.Name {
				case "want":
					want = i
				case "env":
					for line := range strings.Lines(text) {
						name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
						s.env[name] = value
					}
				default:
					s.write(f.Name, text)
				}
			}
			from, _, _ := strings.Cut(string(archive.Comment), "\n")
			if from == "all" {
				from = ""
			}
			got := s.plain(s.report(s.plan(from)))
			if want < 0 {
				archive.Files = append(archive.Files, txtar.File{Name: "want"})
				want = len(archive.Files) - 1
			}
			if *update {
				archive.Files[want].Data = []byte(got)
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(archive.Files[want].Data), got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := s.report(s.plan(from)); strings.Contains(diff, "took ") {
				t.Errorf("a second import takes something again:\n%s", diff)
			}
			loaded, err := s.load()
			if err != nil || len(loaded.Servers) == 0 {
				t.Errorf("toolscript does not read what was imported: %v", err)
			}
		})
	}
}

// report applies a plan and returns its results as text.
func (s *scene) report(plan *clients.Import) string {
	s.Helper()
	var b strings.Builder
	for _, taken := range plan.Taken {
		fmt.Fprintf(&b, "took %s of %s from %s\n", taken.Name, taken.Client, taken.From)
	}
	for _, left := range plan.Left {
		fmt.Fprintf(&b, "left %q of %s in %s: %s\n", left.Name, left.Client, left.From, left.Why)
	}
	for _, v := range plan.Variables {
		fmt.Fprintf(&b, "set %s for %s: %s\n", v.Name, v.Server, v.Why)
	}
	for _, note := range plan.Notes {
		fmt.Fprintf(&b, "note %s\n", note)
	}
	if len(plan.Changes) > 0 {
		s.apply("import", plan.Changes)
	}
	for _, c := range plan.Changes {
		text, err := os.ReadFile(c.File.Path)
		if err != nil {
			s.Fatal(err)
		}
		fmt.Fprintf(&b, "%s:\n%s", c.File.Path, text)
	}
	return b.String()
}

// A token in a client's file never appears in a preview, a note, or a file of toolscript.
func TestNoTokenIsPrinted(t *testing.T) {
	const token = "ghp_0123456789abcdefghijklmnopqrstuvwxyz"
	for name, text := range map[string]string{
		"environment":  `{"mcpServers": {"a": {"command": "x", "env": {"PLAIN": "TOKEN"}}}}`,
		"header":       `{"mcpServers": {"a": {"url": "https://a.example.com", "headers": {"X-Plain": "Bearer TOKEN"}}}}`,
		"argument":     `{"mcpServers": {"a": {"command": "x", "args": ["--plain=TOKEN"]}}}`,
		"next":         `{"mcpServers": {"a": {"command": "x", "args": ["--plain", "TOKEN"]}}}`,
		"pair":         `{"mcpServers": {"a": {"command": "docker", "args": ["run", "-e", "PLAIN=TOKEN", "image"]}}}`,
		"in a header":  `{"mcpServers": {"a": {"command": "npx", "args": ["mcp-remote", "https://a.example.com", "--header", "Authorization: Bearer TOKEN"]}}}`,
		"query":        `{"mcpServers": {"a": {"url": "https://a.example.com/mcp?plain=TOKEN&x=1"}}}`,
		"path":         `{"mcpServers": {"a": {"url": "https://a.example.com/s/TOKEN/mcp"}}}`,
		"password":     `{"mcpServers": {"a": {"command": "x", "args": ["postgres://me:TOKEN@db/x"]}}}`,
		"user":         `{"mcpServers": {"a": {"url": "https://TOKEN@a.example.com/mcp"}}}`,
		"default":      `{"mcpServers": {"a": {"command": "x", "env": {"PLAIN": "${PLAIN:-TOKEN}"}}}}`,
		"unknown key":  `{"mcpServers": {"a": {"command": "x", "custom": {"plain": "TOKEN"}}}}`,
		"login":        `{"mcpServers": {"a": {"url": "https://a.example.com", "oauth": {"clientId": "a", "clientSecret": "TOKEN"}}}}`,
		"outside":      `{"mcpServers": {"a": {"command": "x"}}, "saved": "TOKEN"}`,
		"comment":      "{\"mcpServers\": {\"a\": {\"command\": \"x\"}}, \n // TOKEN\n \"x\": 1}",
		"key":          `{"mcpServers": {"a": {"command": "x"}}, "TOKEN": 1}`,
		"wrong type":   `{"mcpServers": {"a": {"type": "TOKEN", "command": "x"}}}`,
		"wrong syntax": `{"mcpServers": {"a": {"command": "x" "TOKEN"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			s.write("$HOME/.cursor/mcp.json", strings.ReplaceAll(text, "TOKEN", token))
			plan := s.plan("cursor")
			var shown strings.Builder
			for _, c := range plan.Changes {
				shown.WriteString(c.Diff())
			}
			if got := shown.String() + s.report(plan); strings.Contains(got, token) {
				t.Errorf("import shows the token:\n%s", got)
			}
			change, err := s.connect("cursor", false)
			if err != nil && name != "wrong syntax" || err != nil && strings.Contains(err.Error(), token) {
				t.Fatal(err)
			}
			if change != nil && strings.Contains(change.Diff(), token) {
				t.Errorf("connect shows the token:\n%s", change.Diff())
			}
		})
	}
}

// Values that are not secret stay readable.
func TestValuesThatAreNotSecretsStay(t *testing.T) {
	s := newScene(t)
	s.write("$HOME/.cursor/mcp.json", `{"mcpServers": {"a": {"command": "npx",
		"args": ["-y", "@modelcontextprotocol/server-filesystem@2026.1.14", "--max-tokens", "4000", "/home/me/a-folder/with-a-long-name-2024-10-11"],
		"env": {"PORT": "3000", "GOOGLE_APPLICATION_CREDENTIALS": "/home/me/key.json", "MAX_TOKENS": "100000", "CLIENT_ID": "6b1f3a52-9c0d-4e21-8a77-1f0c2d3e4b5a",
		"TOKENIZERS_PARALLELISM": "false", "API_URL": "https://api.example.com/v1/projects/my-project-name?limit=10", "LOG": "info"}}}}`)
	plan := s.plan("cursor")
	if len(plan.Variables) > 0 {
		t.Errorf("variables for harmless values: %+v", plan.Variables)
	}
}

// An import into an existing file changes only the servers in it.
func TestImportKeepsTheFile(t *testing.T) {
	s := newScene(t)
	s.write("$HOME/.cursor/mcp.json", `{"mcpServers": {"b": {"command": "y"}}}`)
	s.write("$HOME/.toolscript.json", "{\r\n\t\"limits\": {\"toolCalls\": 5},\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {\"command\":   \"x\"}\r\n\t},\r\n\t\"engine\": \"auto\"\r\n}")
	s.apply("import", s.plan("").Changes)
	want := "{\r\n\t\"limits\": {\"toolCalls\": 5},\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {\"command\":   \"x\"},\r\n\t\t\"b\": {\r\n\t\t\t\"command\": \"y\"\r\n\t\t}\r\n\t},\r\n\t\"engine\": \"auto\"\r\n}"
	if diff := cmp.Diff(want, s.read("$HOME/.toolscript.json")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// An import does not edit an invalid file of toolscript.
func TestImportIntoABrokenFile(t *testing.T) {
	s := newScene(t)
	s.write("$HOME/.toolscript.json", `{"mcpServers": {`)
	if _, err := clients.Plan(s.places, s.targets, clients.Options{}); err == nil || !strings.Contains(err.Error(), ".toolscript.json:1:") {
		t.Errorf("got %v, want the place of the mistake", err)
	}
}

// Servers of a project are written only to a project's file, which needs trust.
func TestProjectServersNeedAProjectFile(t *testing.T) {
	s := newScene(t)
	s.write("$PROJECT/.mcp.json", `{"mcpServers": {"evil": {"command": "sh", "args": ["-c", "evil"]}}}`)
	s.targets.Project = clients.File{}
	plan := s.plan("")
	if len(plan.Changes) > 0 || len(plan.Left) != 1 {
		t.Errorf("got %+v, want nothing taken", plan)
	}
}

// An import does not follow a symbolic link that leads out of the project: it neither reads
// nor changes the target.
func TestLinksOutOfTheFolder(t *testing.T) {
	s := newScene(t)
	s.write("$HOME/secrets.json", `{"mcpServers": {"private": {"command": "x"}}}`)
	s.write("$PROJECT/.cursor/empty", "")
	for _, link := range []string{"$PROJECT/.mcp.json", "$PROJECT/.cursor/mcp.json"} {
		if err := os.Symlink(s.path("$HOME/secrets.json"), s.path(link)); err != nil {
			t.Skip("no links:", err)
		}
	}
	plan := s.plan("")
	if len(plan.Taken) > 0 || len(plan.Left) != 2 || !strings.Contains(plan.Left[0].Why, "outside") {
		t.Errorf("got %+v, want both links left out", plan)
	}
	for _, client := range []string{"claude-code", "cursor"} {
		if _, err := s.connect(client, true); err == nil || !strings.Contains(err.Error(), "outside") {
			t.Errorf("%s: got %v, want an error about the link", client, err)
		}
	}
}

// Users who keep their settings in a repository have symbolic links in the home folder: an
// import changes the target, and the link stays.
func TestLinkWithinTheFolder(t *testing.T) {
	s := newScene(t)
	s.write("$HOME/dotfiles/cursor.json", "{}\n")
	s.write("$HOME/.cursor/empty", "")
	if err := os.Symlink("../dotfiles/cursor.json", s.path("$HOME/.cursor/mcp.json")); err != nil {
		t.Skip("no links:", err)
	}
	s.connected("cursor", false)
	info, err := os.Lstat(s.path("$HOME/.cursor/mcp.json"))
	if err != nil || info.Mode()&fs.ModeSymlink == 0 || !strings.Contains(s.read("$HOME/dotfiles/cursor.json"), "toolscript") {
		t.Errorf("link %v, %v; file %s", info, err, s.read("$HOME/dotfiles/cursor.json"))
	}
}

// TestServerName: a server has the name of its package, image, program or domain.
func TestServerName(t *testing.T) {
	for words, want := range map[string]string{
		"npx -y @modelcontextprotocol/server-filesystem@2026.1.14 .": "filesystem",
		"uvx mcp-server-git":  "git",
		"node ./weather.js":   "weather",
		"/opt/x/files.exe -v": "files",
		"docker run -i --rm -e GITHUB_PERSONAL_ACCESS_TOKEN ghcr.io/github/github-mcp-server:1.0": "github",
		"docker run --env A=b -v /home/me:/data --name box mcp/notes":                             "notes",
		"deno run -A npm:weather-mcp":         "weather",
		"npx -y npm:@scope/server-maps@1.2.3": "maps",
		"https://mcp.example.com/mcp":         "example",
		"http://localhost:3000/mcp":           "localhost",
		"http://127.0.0.1:3000/mcp":           "server",
		"http://[::1]:3000/mcp":               "server",
	} {
		command, address := strings.Fields(words), ""
		if strings.Contains(words, "://") {
			command, address = nil, words
		}
		if got := clients.ServerName(command, address); got != want {
			t.Errorf("%s: %q, want %q", words, got, want)
		}
	}
}
