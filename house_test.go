package toolscript_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/toolscript/toolscript"

// mayImport says which rooms a room may import, and why.
var mayImport = map[string]map[string]string{
	"":          {},
	"codegen":   {"": "the words"},
	"runner":    {"": "the words"},
	"transport": {"": "the words"},
	"actors":    {"": "the words", "codegen": "modules are made on demand", "runner": "runs are jobs of a runner", "transport": "a server actor owns a connection"},
	"cmd":       {"": "the words", "actors": "starts the system", "codegen": "names for reading", "runner": "the worker command", "transport": "serves and asks the gateway"},
	"test":      {"": "", "actors": "", "codegen": "", "runner": "", "transport": "", "cmd": ""},
}

// onlyIn says which rooms alone may import a library, and why.
var onlyIn = map[string]struct {
	rooms []string
	why   string
}{
	"github.com/anthdm/hollywood":                    {[]string{"actors"}, "the actor library must stay replaceable"},
	"github.com/gofiber/fiber":                       {[]string{"transport/gateway"}, "one HTTP front"},
	"github.com/valyala/fasthttp":                    {[]string{"transport/gateway"}, "one HTTP front"},
	"github.com/spf13/cobra":                         {[]string{"cmd/cli"}, "one command line"},
	"github.com/agnivade/levenshtein":                {[]string{"", "actors/search", "test/evalsearch"}, "toolscript.Nearest serves everybody else"},
	"github.com/kelindar/search":                     {[]string{"cmd/toolscript-llama"}, "it panics in init without its C library"},
	"github.com/evanw/esbuild":                       {[]string{"runner/script"}, "it parses script text, which only a worker process may do"},
	"github.com/microsoft/typescript-go":             {[]string{"runner/script"}, "it parses script text, which only a worker process may do"},
	"github.com/tetratelabs/wazero":                  {[]string{"runner/quickjs"}, "compiled wasm is no safe point for the scheduler"},
	"github.com/cenkalti/backoff":                    {[]string{"actors"}, "only actors retry"},
	"github.com/mark3labs/mcp-go":                    {[]string{"transport/mcpclient", "cmd/demo", "test"}, "its types lose schema keywords"},
	"github.com/santhosh-tekuri/jsonschema":          {[]string{"codegen/validate", "cmd/config"}, "one validator for arguments, one for the configuration"},
	"github.com/tiktoken-go/tokenizer":               {[]string{"test"}, "its vocabularies have 10 MB; only figures need them"},
	"github.com/dlclark/regexp2":                     {[]string{"codegen/validate"}, "its patterns need a time limit, which is set there"},
	"github.com/modelcontextprotocol/go-sdk/auth":    {[]string{"transport/oauth"}, "one OAuth"},
	"github.com/modelcontextprotocol/go-sdk/oauthex": {[]string{"transport/oauth"}, "one OAuth"},
	"golang.org/x/oauth2":                            {[]string{"transport/oauth"}, "one OAuth"},
	"github.com/golang-jwt/jwt":                      {[]string{"transport/oauth"}, "one OAuth"},
	"github.com/zalando/go-keyring":                  {[]string{"transport/oauth"}, "one place for secrets"},
	"github.com/gofrs/flock":                         {[]string{"transport/oauth", "actors/search/vectors"}, "locks between processes: of a login, of the vectors"},
	"github.com/landlock-lsm/go-landlock":            {[]string{"runner/wall"}, "one wall"},
}

// pure says which rooms inside another may import nothing of it but these, and
// why.
var pure = map[string]struct {
	rooms []string
	why   string
}{
	"actors/search/lexical": {nil, "it computes"},
	"actors/search/minilm":  {[]string{"actors/search/minilm"}, "it computes"},
	"actors/search/index":   {[]string{"", "actors/search/lexical"}, "an index is a value; who owns it is the actor's business"},
	"actors/search/vectors": {[]string{"", "actors/search/lexical", "actors/search/index"}, "a file is read and written; when is the actor's business"},
}

// TestPureRooms keeps what computes free of who owns the result.
func TestPureRooms(t *testing.T) {
	all := packages(t)
	for folder, rule := range pure {
		found := false
		for pkg, imports := range all {
			if !inRoom(pkg, folder) {
				continue
			}
			found = true
			for _, imported := range imports {
				ours := within(imported, module) && !slices.ContainsFunc(rule.rooms, func(r string) bool { return inRoom(imported, r) })
				if ours || within(imported, "github.com/anthdm/hollywood") {
					t.Errorf("%s imports %s: it may import only %q: %s", pkg, imported, rule.rooms, rule.why)
				}
			}
		}
		if !found {
			t.Errorf("no package in %s", folder)
		}
	}
}

// TestImportDirection holds the direction cmd → actors → {transport, runner,
// codegen} → root, and keeps each library in its room.
func TestImportDirection(t *testing.T) {
	for pkg, imports := range packages(t) {
		from := room(pkg)
		for _, imported := range imports {
			if rest, ours := strings.CutPrefix(imported, module); ours {
				to := room(imported)
				if _, allowed := mayImport[from][to]; from != to && !allowed {
					t.Errorf("%s imports %s: %s may import only %v", pkg, imported, name(from), keys(mayImport[from]))
				}
				if from == to && from == "" && rest != "" {
					t.Errorf("%s imports %s: the root imports nothing of ours", pkg, imported)
				}
				continue
			}
			for library, rule := range onlyIn {
				if within(imported, library) && !slices.ContainsFunc(rule.rooms, func(r string) bool { return inRoom(pkg, r) }) {
					t.Errorf("%s imports %s, which belongs to %v only: %s", pkg, imported, rule.rooms, rule.why)
				}
			}
		}
	}
}

// packages maps the packages of this module, also those that only tests build,
// to what they import outside tests.
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

// room is the top folder of a package of ours; "" is the root.
func room(pkg string) string {
	rest := strings.TrimPrefix(strings.TrimPrefix(pkg, module), "/")
	top, _, _ := strings.Cut(rest, "/")
	return top
}

func inRoom(pkg, folder string) bool {
	if folder == "" {
		return pkg == module
	}
	return within(pkg, module+"/"+folder)
}

func within(path, prefix string) bool { return path == prefix || strings.HasPrefix(path, prefix+"/") }

func name(room string) string {
	if room == "" {
		return "the root"
	}
	return room
}

func keys(m map[string]string) []string {
	var out []string
	for k := range m {
		out = append(out, name(k))
	}
	slices.Sort(out)
	return out
}
