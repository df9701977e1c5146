package toolscript_test

import (
	"encoding/xml"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// ofLinux matches names of files and programs that exist on Linux only.
var ofLinux = regexp.MustCompile(`/proc(/|$)|/sys/|/dev/shm|/run/|/etc/os-release|\b(systemctl|systemd-run|xdg-open|notify-send|apt-get|ldconfig)\b`)

// namesOfLinux maps the files that are compiled for macOS and contain such names to the reason.
var namesOfLinux = map[string]string{
	"cmd/confine/sensitive.go":      "folders that are never suggested; a system without them has nothing to suggest there",
	"cmd/confirm/browser.go":        "it has another program for macOS",
	"cmd/discovery/places.go":       "it asks for the system first",
	"cmd/doctor/workers.go":         "the version of the kernel, which the report of other systems lacks",
	"cmd/hub/drain.go":              "the help of a command for hubs of a fleet, which have a unit of systemd",
	"internal/proc/process_unix.go": "a shell gives itself a name, and goes on if it cannot",
	"runner/deno/access.go":         "rules of Landlock, which no other system applies",
	"runner/script/language.go":     "names of commands that are not scripts",
}

// TestLinuxNamesOnMacOS: the code for macOS does not need files and programs of Linux.
func TestLinuxNamesOnMacOS(t *testing.T) {
	used := map[string]bool{}
	for file := range programFiles(t, "darwin") {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if _, is := n.(*ast.ImportSpec); is {
				return false
			}
			literal, is := n.(*ast.BasicLit)
			if !is || literal.Kind != token.STRING || !ofLinux.MatchString(strings.Trim(literal.Value, "\"`")) {
				return true
			}
			used[file] = true
			if namesOfLinux[file] == "" {
				t.Errorf("%s has %s, which only Linux has, and macOS compiles it", file, literal.Value)
			}
			return true
		})
	}
	for file := range namesOfLinux {
		if !used[file] {
			t.Errorf("%s has no name of Linux any more", file)
		}
	}
}

// programFiles returns the Go files that are compiled into the program for a system.
func programFiles(t *testing.T, system string) map[string]bool {
	t.Helper()
	platform := build.Default
	platform.GOOS, platform.GOARCH, platform.CgoEnabled = system, "arm64", false
	files := map[string]bool{}
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (slices.Contains([]string{"test", "testdata", "node_modules", "runner/typescript", "release"}, filepath.ToSlash(name)) || strings.HasPrefix(name, ".") && name != "."):
			return fs.SkipDir
		case entry.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		is, err := platform.MatchFile(filepath.Dir(name), filepath.Base(name))
		if is {
			files[filepath.ToSlash(name)] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestMacOSAnswers: the table of docs/platforms.md names the replacement on macOS for each file for Linux, by folder.
func TestMacOSAnswers(t *testing.T) {
	text, err := os.ReadFile("docs/platforms.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "## What macOS does instead")
	if !found {
		t.Fatal("docs/platforms.md has no such section")
	}
	table, _, _ = strings.Cut(table, "\n## ")
	described, folders := map[string]bool{}, map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([^|]+)` \\|").FindAllStringSubmatch(table, -1) {
		for name := range strings.SplitSeq(row[1], "`, `") {
			described[name] = true
		}
	}
	darwin := programFiles(t, "darwin")
	for file := range programFiles(t, "linux") {
		if !darwin[file] {
			folders[path.Dir(file)] = true
		}
	}
	for folder := range folders {
		if !described[folder] {
			t.Errorf("the table does not say what macOS does in place of the files for Linux in %s", folder)
		}
	}
	for folder := range described {
		if !folders[folder] {
			t.Errorf("the table describes %s, which has no file for Linux", folder)
		}
	}
}

// TestPropertyLists: the files for launchd and for the signature are property lists, and launchd starts what systemd starts.
func TestPropertyLists(t *testing.T) {
	signed := propertyList(t, "release/entitlements.plist")
	if signed["com.apple.security.cs.allow-unsigned-executable-memory"] != "true" || len(signed) != 1 {
		t.Errorf("the entitlements are %q", signed)
	}
	const label = "io.github.toolscript.gateway"
	agent := propertyList(t, "release/"+label+".plist")
	unit, err := os.ReadFile("release/toolscript.service")
	if err != nil {
		t.Fatal(err)
	}
	_, command, _ := strings.Cut(string(unit), "\nExecStart=/usr/bin/")
	command, _, _ = strings.Cut(command, "\n")
	if agent["Label"] != label || agent["ProgramArguments"] != "/usr/local/bin/"+command || agent["StandardOutPath"] != "/dev/null" {
		t.Errorf("launchd gets %q", agent)
	}
}

// propertyList reads a property list, a dictionary, and returns its values as texts. It joins the items of an array.
func propertyList(t *testing.T, file string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	type value struct {
		XMLName xml.Name
		Text    string   `xml:",chardata"`
		Items   []string `xml:"string"`
	}
	var list struct {
		Version string `xml:"version,attr"`
		Dict    struct {
			All []value `xml:",any"`
		} `xml:"dict"`
	}
	if err := xml.Unmarshal(text, &list); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if list.Version != "1.0" || len(list.Dict.All)%2 != 0 {
		t.Fatalf("%s is no property list", file)
	}
	values := map[string]string{}
	for pair := range slices.Chunk(list.Dict.All, 2) {
		key, v := pair[0], pair[1]
		if key.XMLName.Local != "key" {
			t.Fatalf("%s: %s in place of a key", file, key.XMLName.Local)
		}
		switch v.XMLName.Local {
		case "true", "false":
			values[key.Text] = v.XMLName.Local
		case "array":
			values[key.Text] = strings.Join(v.Items, " ")
		default:
			values[key.Text] = strings.TrimSpace(v.Text)
		}
	}
	return values
}
