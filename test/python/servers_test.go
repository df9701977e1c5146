//go:build proof && linux

package python

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/test/fixture/python"
)

// A server has a definition for the configuration, and a script that uses it. The value of the script, as
// JSON, contains want.
type server struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env,omitempty"`
	Shared  bool              `json:"shared,omitempty"`
	Confine map[string]any    `json:"confine,omitempty"`

	script, want string
	note         string // what cannot be shown here, and why
	page         string // the host of this machine that the script needs
	alone        string // a program of a virtual environment that the test of confinement starts instead of uvx
}

// locks returns the lock files of the servers that uvx starts.
func locks() ([]string, error) { return filepath.Glob("locks/*.txt") }

// uvx returns a server that uvx installs from the folder of wheels, without a network.
func uvx(t *testing.T, lock, program string, args ...string) server {
	t.Helper()
	bin, err := python.UV()
	if err != nil {
		t.Fatal(err)
	}
	top, err := python.Folder()
	if err != nil {
		t.Fatal(err)
	}
	return server{Command: filepath.Join(bin, "uvx"), Args: append([]string{program}, args...), Env: map[string]string{
		"UV_NO_INDEX": "1", "UV_OFFLINE": "1", "UV_FIND_LINKS": filepath.Join(top, "wheels"), "UV_CONSTRAINT": abs(t, "locks", lock+".txt"),
		"UV_CACHE_DIR": filepath.Join(top, "cache"),
	}}
}

// module returns a server of test/fixture/python/servers, which python -m starts in the environment of a client library.
func module(t *testing.T, name, environment string) server {
	t.Helper()
	interpreter, err := python.Environment(filepath.Join("../clients/python", environment, "requirements.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return server{
		Command: interpreter, Args: []string{"-m", name}, Env: map[string]string{"PYTHONPATH": abs(t, "../fixture/python/servers"), "PYTHONDONTWRITEBYTECODE": "1"},
		script: fmt.Sprintf(`const { total, terms } = await tools.%s.add({ terms: [40, 2] });
let why = "";
try { await tools.%[1]s.fail({ why: "on purpose" }); } catch (e) { why = e.message; }
return { total: total + terms.length, why };`, name),
		want: `"total":44,"why":"`, // the texts of the errors differ
	}
}

// servers returns all servers by name. They use files in dir and a page of this process.
func servers(t *testing.T, dir string) map[string]server {
	t.Helper()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, `<html><body><h1>Hello</h1><p>from a page</p></body></html>`)
	}))
	t.Cleanup(page.Close)
	repository := filepath.Join(dir, "repository")
	file := filepath.Join(dir, "page.html")
	if err := os.WriteFile(file, []byte(`<h1>Hello</h1><p>from a file</p>`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q", repository}, {"-C", repository, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "the first"}} {
		if out, err := exec.CommandContext(t.Context(), "git", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	does := func(s server, want, script string) server { s.script, s.want = script, want; return s }
	with := func(s server, env ...string) server {
		for _, pair := range env {
			name, value, _ := strings.Cut(pair, "=")
			s.Env[name] = value
		}
		return s
	}
	all := map[string]server{
		"time":       does(uvx(t, "time", "mcp-server-time"), `Europe/Berlin`, `return await tools.time.getCurrentTime({ timezone: "Europe/Berlin" })`),
		"fetch":      does(uvx(t, "fetch", "mcp-server-fetch", "--ignore-robots-txt", "--allow-private-ips"), `from a page`, fmt.Sprintf(`return await tools.fetch.fetch({ url: %q })`, page.URL)),
		"git":        does(uvx(t, "git", "mcp-server-git"), `the first`, fmt.Sprintf(`return await tools.git.gitLog({ repo_path: %q })`, repository)),
		"motherduck": does(uvx(t, "motherduck", "mcp-server-motherduck", "--db-path", ":memory:", "--read-write"), `42`, `return await tools.motherduck.executeQuery({ sql: "select 6 * 7 as n" })`),
		"arxiv":      does(uvx(t, "arxiv", "arxiv-mcp-server", "--storage-path", filepath.Join(dir, "papers")), `total`, `return await tools.arxiv.listPapers({})`),
		"markitdown": does(uvx(t, "markitdown", "markitdown-mcp"), `# Hello`, fmt.Sprintf(`return await tools.markitdown.convertToMarkdown({ uri: "file://%s" })`, file)),
		"excel": does(uvx(t, "excel", "excel-mcp-server", "stdio"), `42`, fmt.Sprintf(`const path = %q + Date.now() + ".xlsx";
await tools.excel.createWorkbook({ path });
await tools.excel.writeRange({ path, sheet: "Sheet1", at: "A1", rows: [["n"], [42]] });
return await tools.excel.readRange({ path, sheet: "Sheet1" });`, filepath.Join(dir, "book"))),
		"word": does(uvx(t, "word", "--from=office-word-mcp-server", "word_mcp_server"), `Hello from a script`, fmt.Sprintf(`const filename = %q + Date.now() + ".docx";
await tools.word.createDocument({ filename });
await tools.word.addParagraph({ filename, text: "Hello from a script" });
return await tools.word.getDocumentText({ filename });`, filepath.Join(dir, "letter"))),
		"aws":        does(uvx(t, "aws", "awslabs.aws-documentation-mcp-server"), `failed: Error executing tool`, `try { return await tools.aws.readDocumentation({ url: "https://docs.aws.amazon.com/lambda/latest/dg/lambda-invocation.html" }) } catch (e) { return "failed: " + e.message.split(":")[0] }`),
		"clickhouse": does(with(uvx(t, "clickhouse", "mcp-clickhouse"), "CLICKHOUSE_HOST=127.0.0.1", "CLICKHOUSE_PORT=1", "CLICKHOUSE_USER=none", "CLICKHOUSE_PASSWORD=none"), `failed: Error calling tool`, `try { return await tools.clickhouse.listDatabases({}) } catch (e) { return "failed: " + e.message.split(":")[0] }`),
		"calculator": does(uvx(t, "calculator", "mcp-server-calculator"), `42`, `return await tools.calculator.calculate({ expression: "6 * 7" })`),
		"sdk1":       module(t, "sdk1", "mcp1"),
		"sdk2":       module(t, "sdk2", "mcp2"),
		"fastmcp2":   module(t, "fastmcp2", "fastmcp2"),
		"fastmcp3":   module(t, "fastmcp3", "fastmcp3"),
		"fastmcp4":   module(t, "fastmcp4", "fastmcp4"),
	}
	for name, note := range map[string]string{"aws": "error (no internet)", "clickhouse": "error (no database)"} {
		s := all[name]
		s.note = note
		all[name] = s
	}
	// DuckDB ends when it cannot read /proc/self/cgroup. A child of a confined process, such as that of uvx,
	// cannot read its own folder in /proc.
	motherduck := all["motherduck"]
	motherduck.alone = "mcp-server-motherduck"
	all["motherduck"] = motherduck
	fetch := all["fetch"]
	fetch.page = page.Listener.Addr().String()
	all["fetch"] = fetch
	return all
}

func abs(t *testing.T, parts ...string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return path
}
