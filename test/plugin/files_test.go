// Package plugin_test tests the Claude Code plugin: its files without a client and, with the build tag
// integration, the plugin in the real client.
package plugin_test

import (
	"encoding/json"
	"errors"
	"image/png"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
)

const (
	repository = "../.."
	pluginRoot = repository + "/plugins/toolscript"
)

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// output runs a command and returns what it prints, and its exit code.
func output(t *testing.T, cmd *exec.Cmd) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

type manifest struct{ Name, Version, License string }

// TestVersions compares the version of the plugin with that of the program. The client updates a
// plugin only if its version changes, and the program compares that version with its own.
func TestVersions(t *testing.T) {
	var m manifest
	readJSON(t, pluginRoot+"/.claude-plugin/plugin.json", &m)
	if m.Version != toolscript.Version {
		t.Errorf("plugin.json has version %q, the program %q", m.Version, toolscript.Version)
	}
}

func TestMarketplace(t *testing.T) {
	var market struct {
		Name    string
		Plugins []struct{ Name, Source string }
	}
	readJSON(t, repository+"/.claude-plugin/marketplace.json", &market)
	if len(market.Plugins) != 1 {
		t.Fatalf("plugins = %v, want one", market.Plugins)
	}
	var m manifest
	readJSON(t, filepath.Join(repository, market.Plugins[0].Source, ".claude-plugin", "plugin.json"), &m)
	if m.Name != market.Plugins[0].Name || m.License != "Apache-2.0" {
		t.Errorf("the marketplace names %q, the plugin is %+v", market.Plugins[0].Name, m)
	}
}

type hooks map[string][]struct {
	Matcher string
	Hooks   []struct {
		Type, Command string
		Args          []string
		Timeout       float64
	}
}

func readHooks(t *testing.T) hooks {
	t.Helper()
	var file struct{ Hooks hooks }
	readJSON(t, pluginRoot+"/hooks/hooks.json", &file)
	return file.Hooks
}

// hookCommand is the command of a hook, in which sh, Git Bash and PowerShell find the same program and arguments.
var hookCommand = regexp.MustCompile(`^set ([a-z-]+); \. "\$\{CLAUDE_PLUGIN_ROOT\}/hooks/run\.cmd" ([a-z-]+)$`)

// hookCommands returns the commands of the hooks by the names that toolscript hook has for them.
func hookCommands(t *testing.T) map[string]string {
	t.Helper()
	commands := map[string]string{}
	for event, groups := range readHooks(t) {
		for _, group := range groups {
			for _, h := range group.Hooks {
				m := hookCommand.FindStringSubmatch(h.Command)
				if h.Type != "command" || h.Args != nil || m == nil || m[1] != m[2] {
					t.Errorf("%s: %+v is not a call of toolscript hook", event, h)
					continue
				}
				commands[m[1]] = h.Command
			}
		}
	}
	return commands
}

// TestHooks checks that each event has its hook.
func TestHooks(t *testing.T) {
	for event, groups := range readHooks(t) {
		name := strings.ToLower(regexp.MustCompile(`\B[A-Z]`).ReplaceAllString(event, "-$0"))
		if len(groups) != 1 || len(groups[0].Hooks) != 1 || !strings.HasSuffix(groups[0].Hooks[0].Command, " "+name) {
			t.Errorf("%s: %+v, want the hook %s", event, groups, name)
		}
	}
	if names := slices.Sorted(maps.Keys(hookCommands(t))); !slices.Equal(names, []string{"pre-tool-use", "session-end", "session-start", "user-prompt-submit"}) {
		t.Errorf("hooks = %v", names)
	}
}

var links = regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`)

// TestLinks checks that the plugin's pages link only to files of the plugin, because only its folder is
// installed, and that the skill links to every reference page.
func TestLinks(t *testing.T) {
	var linked []string
	err := filepath.WalkDir(pluginRoot, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range links.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			target := filepath.Join(filepath.Dir(path), m[1])
			inside, relErr := filepath.Rel(pluginRoot, target)
			if _, statErr := os.Stat(target); statErr != nil || relErr != nil || !filepath.IsLocal(inside) {
				t.Errorf("%s: broken link %s", path, m[1])
			}
			if filepath.Base(path) == "SKILL.md" {
				linked = append(linked, target)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	references, err := filepath.Glob(pluginRoot + "/skills/*/references/*.md")
	if err != nil || len(references) == 0 {
		t.Fatal("no references", err)
	}
	for _, r := range references {
		if !slices.Contains(linked, r) {
			t.Errorf("%s is not linked from SKILL.md", r)
		}
	}
}

// TestSkill checks the length of the description, because the client cuts descriptions at 1,536 characters.
// The skill must not allow tools: a rule such as Bash(toolscript *) would also allow toolscript trust.
func TestSkill(t *testing.T) {
	text, err := os.ReadFile(pluginRoot + "/skills/toolscript/SKILL.md")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.SplitN(string(text), "---\n", 3)
	if len(parts) != 3 || !strings.Contains(parts[1], "name: toolscript\n") {
		t.Fatalf("front matter = %q", parts)
	}
	if strings.Contains(parts[1], "allowed-tools") || len(parts[1]) > 600 {
		t.Errorf("front matter = %q", parts[1])
	}
	if lines := strings.Count(parts[2], "\n"); lines > 100 {
		t.Errorf("SKILL.md has %d lines, want details in references", lines)
	}
}

func TestIcon(t *testing.T) {
	f, err := os.Open(pluginRoot + "/.claude-plugin/icon.png")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read
	c, err := png.DecodeConfig(f)
	if err != nil || c.Width != c.Height || c.Width < 512 || c.Width > 2048 {
		t.Errorf("icon = %d x %d, %v", c.Width, c.Height, err)
	}
}

// TestLicense checks that the plugin's folder contains the licence, because the folder is installed
// without the rest of the repository.
func TestLicense(t *testing.T) {
	own, err := os.ReadFile(pluginRoot + "/LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	if want, err := os.ReadFile(repository + "/LICENSE"); err != nil || string(own) != string(want) {
		t.Errorf("the plugin's licence is not that of the repository: %v", err)
	}
}
