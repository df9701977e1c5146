package toolscript_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/toolscript/toolscript"

// mayImport maps each top folder to the top folders that it may import, with the reason.
// "" is the root package.
var mayImport = map[string]map[string]string{
	"":          {},
	"internal":  {"": "types"},
	"codegen":   {"": "types", "internal": "identifiers"},
	"runner":    {"": "types", "internal": "names that scripts write, pipes to workers, the image of the engine"},
	"transport": {"": "types", "internal": "suggestions, logins, pipes to servers"},
	"actors":    {"": "types", "internal": "names of the catalog, files, tokens for the audit", "codegen": "modules are generated on demand", "runner": "runs are jobs of a runner", "transport": "a server actor owns a connection"},
	"gateway":   {"": "types", "internal": "processes and files", "runner": "engines, and restrictions of servers", "transport": "the kinds of servers", "actors": "the system"},
	"harness":   {"": "types", "gateway": "a gateway in the process of a library's user", "internal": "the file of this program, names of tools in calls", "actors": "a gateway in the process of a library's user", "codegen": "checks schemas of tools", "runner": "helper processes of that gateway", "transport": "the endpoint of a model, and connections of that gateway"},
	"cmd":       {"": "types", "gateway": "the kinds of servers, and the gateway", "internal": "suggestions, tokens, files", "harness": "processes answers", "actors": "starts the system", "codegen": "names in output", "runner": "the worker command", "transport": "HTTP server and client of the gateway"},
	"release":   {"": "the version", "cmd": "the reference of the commands", "actors": "which pieces of the vocabulary the tokenizer uses"},
	"test":      {"": "", "internal": "", "gateway": "", "harness": "", "actors": "", "codegen": "", "runner": "", "transport": "", "cmd": ""},
}

// onlyIn maps a library to the only folders that may import it, with the reason.
var onlyIn = map[string]struct {
	folders []string
	why     string
}{
	"github.com/anthdm/hollywood":                    {[]string{"actors"}, "the actor library must stay replaceable"},
	"github.com/gofiber/fiber":                       {[]string{"transport/api"}, "one HTTP server"},
	"github.com/valyala/fasthttp":                    {[]string{"transport/api"}, "one HTTP server"},
	"github.com/spf13/cobra":                         {[]string{"cmd", "release/generate"}, "one command line, and its reference"},
	"github.com/agnivade/levenshtein":                {[]string{"internal/naming", "test/evalsearch"}, "other packages call naming.Nearest"},
	"github.com/kelindar/search":                     {[]string{"cmd/toolscript-llama"}, "it panics in init without its C library"},
	"github.com/evanw/esbuild":                       {nil, "the program has one compiler; tests compare with it"},
	"github.com/microsoft/typescript-go":             {[]string{"runner/script"}, "only a worker process parses script text"},
	"github.com/tetratelabs/wazero":                  {[]string{"runner/quickjs", "release/generate"}, "compiled wasm is not a safe point for the scheduler"},
	"golang.org/x/text/collate":                      {[]string{"runner/quickjs/intl"}, "its tables take 2.5 MB, and only scripts need them"},
	"github.com/cenkalti/backoff":                    {[]string{"actors"}, "only actors retry"},
	"github.com/mark3labs/mcp-go":                    {[]string{"transport/mcpclient", "cmd/demo", "cmd/mcp", "test"}, "its types lose schema keywords"},
	"github.com/santhosh-tekuri/jsonschema":          {[]string{"codegen/validate", "cmd/config"}, "one validator for arguments, one for the configuration"},
	"github.com/tiktoken-go/tokenizer":               {[]string{"test"}, "its vocabulary takes 8 MB and 100 ms; package texts estimates"},
	"github.com/modelcontextprotocol/go-sdk/auth":    {[]string{"transport/oauth", "test"}, "one OAuth, and the server of its tests"},
	"github.com/modelcontextprotocol/go-sdk/oauthex": {[]string{"transport/oauth"}, "one OAuth"},
	"golang.org/x/oauth2":                            {[]string{"transport/oauth"}, "one OAuth"},
	"github.com/golang-jwt/jwt":                      {[]string{"transport/oauth", "test"}, "one OAuth, and the server of its tests"},
	"github.com/zalando/go-keyring":                  {[]string{"internal/files"}, "one place bounds the time of its operations"},
	"github.com/mattn/go-runewidth":                  {[]string{"cmd/terminal"}, "one package knows the terminal"},
	"golang.org/x/term":                              {[]string{"cmd/terminal"}, "one package knows the terminal"},
	"go.yaml.in/yaml":                                {[]string{"transport/openapi", "transport/upstream", "cmd/clients"}, "OpenAPI documents, the frontmatter of skills and the files of one client are YAML"},
	"github.com/tailscale/hujson":                    {[]string{"internal/rawjson", "cmd/clients", "cmd/config"}, "internal/rawjson limits the depth of what it parses"},
	"github.com/pelletier/go-toml":                   {[]string{"cmd/clients"}, "only the files of one client are TOML"},
	"github.com/gofrs/flock":                         {[]string{"internal/files", "transport/builtin/workspace", "actors/audit", "actors/search"}, "file locks between processes"},
	"github.com/rogpeppe/go-internal":                {[]string{"actors/pin", "cmd/config", "test"}, "one place makes differences of texts of servers, and one those of files"},
	"mvdan.cc/sh":                                    {[]string{"cmd/hook", "transport/builtin/workspace", "cmd/exec"}, "the decision about an agent's commands, the command before a patch, and the command of --stdio"},
	"filippo.io/age":                                 {[]string{"actors/runs/kept", "cmd/secrets"}, "one package encrypts recordings, and one the secrets of servers"},
	"github.com/godbus/dbus":                         {[]string{"cmd/confirm"}, "codes of approvals go to the desktop from one package"},
	"charm.land/bubbletea":                           {[]string{"cmd/status"}, "one package draws screens"},
	"github.com/charmbracelet":                       {[]string{"cmd/status"}, "one package draws screens"},
	"github.com/Microsoft/go-winio":                  {[]string{"cmd/hub"}, "only the hub has a named pipe with several clients"},
	"go.etcd.io/bbolt":                               {[]string{"actors/store", "transport/builtin/documents", "internal/files"}, "one package knows the file of the values of scripts, one that of the documents, and one how to open them"},
	"github.com/vektah/gqlparser":                    {[]string{"transport/graphql"}, "one kind of server has a GraphQL schema"},
	"github.com/andybalholm/brotli":                  {[]string{"transport/upstream"}, "one package decompresses answers of APIs"},
	"github.com/klauspost/compress":                  {[]string{"transport/upstream"}, "one package decompresses answers of APIs"},
	"github.com/JohannesKaufmann/html-to-markdown":   {[]string{"transport/builtin/web"}, "only pages of the web are converted"},
	"github.com/bmatcuk/doublestar":                  {[]string{"transport/builtin/workspace"}, "one meaning of globs"},
	"go.opentelemetry.io":                            {[]string{"transport/telemetry"}, "spans of the gateway pass through toolscript.Tracer"},
	"google.golang.org/protobuf":                     {[]string{"transport/telemetry"}, "only the messages of OTLP are protobuf"},
	"github.com/nats-io/nats.go":                     {[]string{"transport/hub", "runner/remote"}, "the actor of a shared server has a connection as any other, and a sandbox of another machine is a runner as any other"},
	"github.com/nats-io/nats-server":                 {[]string{"transport/hub/host", "test"}, "only a hub is a NATS server"},
	"github.com/Shopify/toxiproxy":                   {[]string{"test"}, "only tests have faults of the network"},
	"github.com/landlock-lsm/go-landlock":            {[]string{"runner/confine"}, "one package restricts processes"},
}

// pure maps a folder to the only packages of this module that it may import, with the
// reason. Such folders never import the library of actors.
var pure = map[string]struct {
	folders []string
	why     string
}{
	"internal/files":                 {[]string{""}, "any package may write a file"},
	"actors/search/lexical":          {nil, "it only computes"},
	"internal/texts":                 {nil, "it only computes"},
	"actors/search/embedding/minilm": {[]string{"actors/search/embedding/minilm", "internal/rescue", "internal/texts"}, "it only computes"},
	"actors/search/index":            {[]string{"", "internal/naming", "internal/texts", "actors/search/lexical", "actors/search/embedding"}, "an index is a value that the actor owns"},
	"harness/answer":                 {nil, "it only computes, and reads texts of models"},
	"actors/pin":                     {[]string{"", "internal/files", "internal/texts"}, "it compares, and keeps one file"},
	"transport/hub/wire":             {[]string{"", "internal/rescue", "internal/texts", "transport/mcpclient", "transport/upstream", "transport/oauth", "internal/budget"}, "actors import it, and a program without a hub has no code of NATS"},
	"cmd/terminal":                   {[]string{"", "internal"}, "any command may print; toolscript.Hidden decides which characters are shown as numbers"},
	"cmd/clients":                    {[]string{"", "cmd/config", "cmd/secrets", "cmd/terminal", "internal", "transport/upstream"}, "a change of files needs no gateway"},
}

func TestPureFolders(t *testing.T) {
	all := packages(t)
	for folder, rule := range pure {
		found := false
		for pkg, imports := range all {
			if !inFolder(pkg, folder) {
				continue
			}
			found = true
			for _, imported := range imports {
				ours := within(imported, module) && !slices.ContainsFunc(rule.folders, func(r string) bool { return inFolder(imported, r) })
				if ours || within(imported, "github.com/anthdm/hollywood") {
					t.Errorf("%s imports %s: it may import only %q: %s", pkg, imported, rule.folders, rule.why)
				}
			}
		}
		if !found {
			t.Errorf("no package in %s", folder)
		}
	}
}

// TestImportDirection checks the direction cmd → harness → gateway → actors → {transport, runner, codegen}
// → internal → root, and that each library stays in its folder.
func TestImportDirection(t *testing.T) {
	for pkg, imports := range packages(t) {
		from := topFolder(pkg)
		for _, imported := range imports {
			if rest, ours := strings.CutPrefix(imported, module); ours {
				to := topFolder(imported)
				if _, allowed := mayImport[from][to]; from != to && !allowed {
					t.Errorf("%s imports %s: %s may import only %v", pkg, imported, name(from), keys(mayImport[from]))
				}
				if from == to && from == "" && rest != "" {
					t.Errorf("%s imports %s: the root package imports none of our packages", pkg, imported)
				}
				continue
			}
			for library, rule := range onlyIn {
				if within(imported, library) && !slices.ContainsFunc(rule.folders, func(r string) bool { return inFolder(pkg, r) }) {
					t.Errorf("%s imports %s, which only %v may import: %s", pkg, imported, rule.folders, rule.why)
				}
			}
		}
	}
}

// TestGuideNamesPackages: the tables of CONTRIBUTING.md name every package outside of test.
// The first name of a row is a whole path; another one may be relative to it or to its parent.
func TestGuideNamesPackages(t *testing.T) {
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Where things go\n")
	section, _, _ = strings.Cut(section, "\n## ")
	named := map[string]bool{}
	for line := range strings.Lines(section) {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		first := ""
		for _, span := range regexp.MustCompile("`([a-z0-9/_-]+)`").FindAllStringSubmatch(line, -1) {
			if first == "" {
				first = span[1]
			}
			named[span[1]], named[path.Join(first, span[1])], named[path.Join(path.Dir(first), span[1])] = true, true, true
		}
	}
	for pkg := range packages(t) {
		folder := strings.TrimPrefix(strings.TrimPrefix(pkg, module), "/")
		if top := topFolder(pkg); top != "" && top != "test" && !named[folder] {
			t.Errorf("CONTRIBUTING.md, \"Where things go\", does not name the package %s", folder)
		}
	}
}

// TestArchitectureIsOnePage checks that ARCHITECTURE.md stays on one page, and that the paths exist that it
// and the first table of CONTRIBUTING.md name.
func TestArchitectureIsOnePage(t *testing.T) {
	const mostWords = 900
	page, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	if words := len(regexp.MustCompile(`\S*\w\S*`).FindAll(page, -1)); words > mostWords {
		t.Errorf("ARCHITECTURE.md has %d words, more than %d", words, mostWords)
	}
	guide, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	table, _, _ := strings.Cut(string(guide), "\n### ")
	for _, span := range regexp.MustCompile("`([a-z_]+(?:/[a-z_.]+)+|[a-z_]+\\.go)`").FindAllStringSubmatch(string(page)+table, -1) {
		if _, err := os.Stat(span[1]); err != nil {
			t.Errorf("ARCHITECTURE.md or CONTRIBUTING.md: %v", err)
		}
	}
}

// Bounds of the packages outside of test: their number, the number of packages with one file,
// and the lines of a package without its tests.
const (
	mostPackages, mostOfOneFile = 100, 8
	fewestLines, mostLines      = 150, 6000
)

// odd maps the packages outside of the bounds of lines to the reason.
var odd = map[string]string{
	"cmd/toolscript":         "a program that calls cmd/cli",
	"cmd/toolscript-llama":   "a program of its own, because its library panics without its C library",
	"transport/kinds":        "the list of the kinds of servers",
	"internal/rescue":        "every recover of the program, but two that need more",
	"runner/quickjs/prelude": "one Go file that embeds the JavaScript files of its folder",
}

// TestSizes checks the number and the sizes of the packages.
func TestSizes(t *testing.T) {
	found, oneFile := 0, []string{}
	for pkg := range packages(t) {
		folder := strings.TrimPrefix(strings.TrimPrefix(pkg, module), "/")
		if topFolder(pkg) == "test" {
			continue
		}
		files, err := filepath.Glob(filepath.Join(filepath.FromSlash(folder), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		lines, count := 0, 0
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			lines += bytes.Count(text, []byte("\n"))
			count++
		}
		found++
		if count == 1 {
			oneFile = append(oneFile, folder)
		}
		if fits := fewestLines <= lines && lines <= mostLines; fits != (odd[folder] == "") {
			t.Errorf("%s has %d lines, want %d to %d, or its name in odd with a reason, if it needs one", name(folder), lines, fewestLines, mostLines)
		}
	}
	if found > mostPackages || len(oneFile) > mostOfOneFile {
		t.Errorf("%d packages outside of test, want at most %d; of one file %q, want at most %d", found, mostPackages, oneFile, mostOfOneFile)
	}
	t.Logf("%d packages outside of test, %d of one file", found, len(oneFile))
}

// Bounds of the code outside of test.
const (
	mostFuncLines = 60
	mostMethods   = 12 // declared by an interface itself, without embedded interfaces
)

// TestFunctions checks the lines of functions and the methods of interfaces, except in forked
// libraries.
func TestFunctions(t *testing.T) {
	eachFile(t, func(path string, set *token.FileSet, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if lines := set.Position(n.End()).Line - set.Position(n.Pos()).Line + 1; lines > mostFuncLines {
					t.Errorf("%s: %s has %d lines, want at most %d", path, n.Name.Name, lines, mostFuncLines)
				}
			case *ast.InterfaceType:
				if methods := len(n.Methods.List); methods > mostMethods {
					t.Errorf("%s: an interface has %d methods, want at most %d", set.Position(n.Pos()), methods, mostMethods)
				}
			}
			return true
		})
	})
}

// eachFile calls yield for each Go file outside of tests and of code that others wrote.
func eachFile(t *testing.T, yield func(path string, set *token.FileSet, file *ast.File)) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(".", func(path string, entry os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (slices.Contains([]string{"test", "runner/typescript", "codegen/jsonschema"}, filepath.ToSlash(path)) ||
			slices.Contains([]string{"node_modules", "testdata"}, entry.Name()) || strings.HasPrefix(entry.Name(), ".") && path != "."):
			return filepath.SkipDir
		case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files++
		yield(path, set, file)
		return nil
	})
	if err != nil || files < 500 {
		t.Errorf("%d files, %v", files, err)
	}
}

// typesOf are the names of the constants of package upstream for the types of servers, with their values.
var typesOf = map[string]string{
	"Stdio": "stdio", "HTTP": "http", "SSE": "sse", "Builtin": "builtin", "Scripts": "scripts", "Command": "command", "OpenAPI": "openapi",
	"GraphQL": "graphql", "InProcess": "inprocess", "Fleet": "fleet",
}

// comparing are the folders that compare types of servers, with the reason.
var comparing = map[string]string{
	"transport/mcpclient": "it is the folder of three kinds, which it tells apart",
	"cmd/setup":           "a package of the MCP Registry has a type of transport, with the same words",
}

// TestKindsDecide checks that only the folder of a kind compares types of servers. All others ask
// upstream.Kind, so that a new kind needs no change there.
func TestKindsDecide(t *testing.T) {
	found := map[string]bool{}
	eachFile(t, func(file string, set *token.FileSet, tree *ast.File) {
		folder := filepath.ToSlash(filepath.Dir(file))
		compares := func(x ast.Expr) {
			if found[folder] = true; comparing[folder] == "" {
				t.Errorf("%s: it compares the type of a server; ask its upstream.Kind", set.Position(x.Pos()))
			}
		}
		note := func(of ...ast.Expr) {
			for _, x := range of {
				s, is := x.(*ast.SelectorExpr)
				if !is || typesOf[s.Sel.Name] == "" {
					continue
				}
				if from, is := s.X.(*ast.Ident); is && from.Name == "upstream" {
					compares(x)
				}
			}
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if n.Op == token.EQL || n.Op == token.NEQ {
					note(n.X, n.Y)
					field, isField := n.X.(*ast.SelectorExpr)
					value, isValue := n.Y.(*ast.BasicLit)
					if isField && isValue && field.Sel.Name == "Type" && slices.Contains(slices.Collect(maps.Values(typesOf)), strings.Trim(value.Value, `"`)) {
						compares(n.Y)
					}
				}
			case *ast.CaseClause:
				note(n.List...)
			case *ast.CompositeLit:
				for _, x := range n.Elts { // such as a list for slices.Contains
					note(x)
				}
			}
			return true
		})
	})
	for folder := range comparing {
		if !found[folder] {
			t.Errorf("%s compares no types of servers", folder)
		}
	}
}

// TestOneRoot checks that only package gateway starts the actors.
func TestOneRoot(t *testing.T) {
	found := 0
	eachFile(t, func(file string, set *token.FileSet, tree *ast.File) {
		ast.Inspect(tree, func(n ast.Node) bool {
			s, is := n.(*ast.SelectorExpr)
			if !is || s.Sel.Name != "Start" {
				return true
			}
			if from, is := s.X.(*ast.Ident); is && from.Name == "actors" {
				if found++; filepath.Dir(file) != "gateway" {
					t.Errorf("%s: it starts the actors; use gateway.Start", set.Position(n.Pos()))
				}
			}
			return true
		})
	})
	if found == 0 {
		t.Error("nothing starts the actors")
	}
}

// packages returns the imports of each package of this module, without those of tests.
func packages(t *testing.T) map[string][]string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-tags", "integration,proof", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	all := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		all[fields[0]] = fields[1:]
	}
	if len(all) < 10 {
		t.Fatalf("go list found only %d packages", len(all))
	}
	return all
}

// topFolder returns the top folder of one of our packages, "" for the root package.
func topFolder(pkg string) string {
	rest := strings.TrimPrefix(strings.TrimPrefix(pkg, module), "/")
	top, _, _ := strings.Cut(rest, "/")
	return top
}

func inFolder(pkg, folder string) bool {
	if folder == "" {
		return pkg == module
	}
	return within(pkg, module+"/"+folder)
}

func within(path, prefix string) bool { return path == prefix || strings.HasPrefix(path, prefix+"/") }

func name(folder string) string {
	if folder == "" {
		return "the root"
	}
	return folder
}

func keys(m map[string]string) []string {
	var out []string
	for k := range m {
		out = append(out, name(k))
	}
	slices.Sort(out)
	return out
}
