package codegen_test

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/internal/naming"
)

// forms are the forms of a module by file name.
var forms = map[string]codegen.Form{
	"full.ts":         codegen.Full,
	"compact.ts":      codegen.Compact,
	"toolscript.d.ts": codegen.Declarations,
}

// listed is a tool in the format of tools/list and of the test data.
type listed struct {
	Server       string                 `json:"server"`
	Name         string                 `json:"name"`
	Title        string                 `json:"title"`
	Description  string                 `json:"description"`
	InputSchema  json.RawMessage        `json:"inputSchema"`
	OutputSchema json.RawMessage        `json:"outputSchema"`
	Annotations  toolscript.Annotations `json:"annotations"`
	Pages        bool                   `json:"pages"`
}

func (l listed) tool(server string) toolscript.Tool {
	return toolscript.Tool{
		Server: server, Name: l.Name, Title: l.Title, Description: l.Description,
		InputSchema: l.InputSchema, OutputSchema: l.OutputSchema, Annotations: l.Annotations, Pages: l.Pages,
	}
}

// catalog returns a catalog of tools and their servers.
func catalog(tools ...toolscript.Tool) toolscript.Catalog {
	var servers []string
	for _, t := range tools {
		servers = append(servers, t.Server)
	}
	return toolscript.NewCatalog(1, servers, tools)
}

// module returns the module of a whole catalog.
func module(c toolscript.Catalog, o codegen.Options) codegen.Result {
	return codegen.Module(c, naming.New(c), o)
}

// withInput returns a catalog of one tool, s__t.
func withInput(schema string) toolscript.Catalog {
	return catalog(toolscript.Tool{Server: "s", Name: "t", InputSchema: json.RawMessage(schema)})
}

// signature matches the only method of a compact module.
var signature = regexp.MustCompile(`(?m)^    t\((?:params\??: )?(.*)\): Promise<any>;$`)

// typeOf returns the type of the parameters of a schema in the compact form, and the
// declarations that the type refers to.
func typeOf(t *testing.T, schema string, o codegen.Options) (params, declarations string, warnings []codegen.Warning) {
	t.Helper()
	o.Form, o.Describe = codegen.Compact, -1
	r := module(withInput(schema), o)
	found := signature.FindStringSubmatch(strings.ReplaceAll(comment.ReplaceAllString(r.Text, ""), "{  ", "{ "))
	if found == nil {
		t.Fatalf("no signature in\n%s", r.Text)
	}
	declarations, _, _ = strings.Cut(r.Text, "export declare const tools")
	return found[1], declarations, r.Warnings
}

// parse fails the test if text is not TypeScript. It returns the text without types
// and comments, and its exports.
func parse(tb testing.TB, name, text string) (javascript string, exports []string) {
	tb.Helper()
	r := api.Build(api.BuildOptions{
		Stdin:    &api.StdinOptions{Contents: text, Sourcefile: name, Loader: api.LoaderTS},
		Format:   api.FormatESModule,
		Target:   api.ES2022,
		Metafile: true,
		Outfile:  "out.js",
		LogLevel: api.LogLevelSilent,

		MinifyWhitespace: true, // drops comments
	})
	for _, e := range r.Errors {
		tb.Fatalf("%s does not parse: %d:%d: %s\n%s", name, e.Location.Line, e.Location.Column, e.Text, e.Location.LineText)
	}
	var meta struct {
		Outputs map[string]struct {
			Exports []string `json:"exports"`
		} `json:"outputs"`
	}
	if err := json.Unmarshal([]byte(r.Metafile), &meta); err != nil {
		tb.Fatal(err)
	}
	return string(r.OutputFiles[0].Contents), meta.Outputs["out.js"].Exports
}

// tsc returns the path of the TypeScript 7 compiler: $TOOLSCRIPT_TSC, or the pinned
// one of the test folder. It skips the test, with a message, if there is none.
func tsc(tb testing.TB) string {
	tb.Helper()
	path := os.Getenv("TOOLSCRIPT_TSC")
	if path == "" {
		path = filepath.Join("..", "test", "node_modules", ".bin", "tsc")
		if runtime.GOOS == "windows" {
			path += ".cmd"
		}
	}
	path, err := filepath.Abs(path)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		tb.Skipf("types are not checked: no tsc (%v); run: task peers", err)
	}
	return path
}

const tsconfig = `{"compilerOptions": {"target": "es2022", "module": "esnext", "moduleResolution": "bundler", "moduleDetection": "force",
	"strict": true, "noEmit": true, "skipLibCheck": false, "lib": ["es2022"], "types": [],
	"paths": {"toolscript": ["./toolscript.d.ts"]}}, "include": ["**/*.ts"]}`

// typecheck returns the errors of tsc about the files, one per line.
func typecheck(tb testing.TB, files map[string]string) []string {
	tb.Helper()
	compiler := tsc(tb)
	dir := tb.TempDir()
	for name, text := range files {
		write(tb, filepath.Join(dir, name), text)
	}
	write(tb, filepath.Join(dir, "tsconfig.json"), tsconfig)
	cmd := exec.CommandContext(tb.Context(), compiler, "-p", dir, "--pretty", "false")
	cmd.Dir = dir
	out, err := cmd.Output()
	text := strings.TrimSpace(string(out))
	if err != nil && text == "" {
		tb.Fatalf("tsc: %v", err)
	}
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// mustTypecheck fails the test for each error.
func mustTypecheck(tb testing.TB, files map[string]string) {
	tb.Helper()
	for _, line := range typecheck(tb, files) {
		tb.Error(line)
	}
}

func write(tb testing.TB, path, text string) {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
