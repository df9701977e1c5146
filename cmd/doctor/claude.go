package doctor

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/toolscript/toolscript/cmd/clients"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/internal/rawjson"
)

// claudeSettings is the part of a Claude Code settings file that decides whether toolscript
// can be used.
type claudeSettings struct {
	path        string
	user        bool // the user's own file
	Permissions struct {
		Allow []string `json:"allow"`
		Ask   []string `json:"ask"`
		Deny  []string `json:"deny"`
	} `json:"permissions"`
	EnabledPlugins map[string]any `json:"enabledPlugins"` // keys are NAME@MARKETPLACE
	NoHooks        bool           `json:"disableAllHooks"`
}

// claudeSettings reads the settings of the user, of the project and of the administrator.
// Later files take precedence. Unreadable files are skipped; Claude Code reports them.
func (x *examination) claudeSettings(folder string) (all []claudeSettings) {
	paths := []string{filepath.Join(folder, "settings.json")}
	if project := config.ProjectRoot(x.Host.Config.WorkDir, x.Home); project != "" {
		paths = append(paths, filepath.Join(project, ".claude", "settings.json"), filepath.Join(project, ".claude", "settings.local.json"))
	}
	for i, path := range append(paths, managedSettings) {
		text, err := os.ReadFile(path) //nolint:gosec // settings files of the client
		if err != nil {
			continue
		}
		s := claudeSettings{path: path, user: i == 0}
		if json.Unmarshal(rawjson.WithoutComments(text), &s) == nil {
			all = append(all, s)
		}
	}
	return all
}

// registered reports whether Claude Code starts toolscript as an MCP server.
func (x *examination) registered() bool {
	places, err := clients.FindPlaces(x.Host.Config.WorkDir, x.Host.Config.LookupEnv)
	if err != nil {
		return false
	}
	client, err := clients.Find("claude-code", clients.Connectable())
	return err == nil && clients.Registered(client, places)
}

// switched returns the file that enables or the file that disables the plugin; the other is
// "". Later files take precedence.
func switched(all []claudeSettings) (on, off string) {
	for _, s := range all {
		for name, enabled := range s.EnabledPlugins {
			if plugin, _, _ := strings.Cut(name, "@"); plugin != "toolscript" {
				continue
			}
			if on, off = s.path, ""; enabled == false {
				on, off = "", s.path
			}
		}
	}
	return on, off
}

// stopped reports settings that keep the client from using the installed plugin.
func (x *examination) stopped(all []claudeSettings) {
	_, disabled := switched(all)
	for _, s := range all {
		if s.NoHooks {
			x.warn("plugin", `remove "disableAllHooks" from `+s.path, "hooks are switched off in %s, so the plugin starts no gateway and allows no command", s.path)
		}
	}
	if disabled != "" {
		x.warn("plugin", "claude plugin enable toolscript", "the plugin is installed and disabled in %s", disabled)
	}
}

// refusals reports rules of the client that deny, or ask about, what an agent regularly does with toolscript.
func (x *examination) refusals(all []claudeSettings) {
	for _, s := range all {
		for _, rule := range s.Permissions.Deny {
			if stops := stoppedBy(rule); stops != "" {
				x.warn("plugin", "remove the rule from permissions.deny of "+s.path, "the rule %q of %s denies %s to the agent", rule, s.path, stops)
			}
		}
		for _, rule := range s.Permissions.Ask {
			if stops := stoppedBy(rule); stops != "" {
				x.warn("plugin", "remove the rule from permissions.ask of "+s.path, "the rule %q of %s has Claude Code ask you about %s, whatever the plugin allows", rule, s.path, stops)
			}
		}
	}
}

// uses lists what an agent regularly does with toolscript, in the form of rules.
var uses = []struct{ tool, argument string }{
	{"Bash", "toolscript search x"}, {"Bash", "toolscript get-types x"}, {"Bash", "toolscript exec x"}, {"Bash", "toolscript call x"},
	{"Bash", "toolscript run x"}, {"Bash", "toolscript check x"}, {"Bash", "toolscript list-tools x"}, {"Bash", "toolscript list-servers"},
	{"Skill", "toolscript"}, {"Skill", "toolscript:toolscript"},
	{"mcp__toolscript__search_tools", ""}, {"mcp__toolscript__describe_tools", ""}, {"mcp__toolscript__run_script", ""},
}

// stoppedBy describes which uses of toolscript a rule matches. It returns "" if it matches none.
func stoppedBy(rule string) string {
	tool, pattern, limited := strings.Cut(strings.TrimSuffix(rule, ")"), "(")
	for _, use := range uses {
		if !matches(tool, use.tool) && !strings.HasPrefix(use.tool, tool+"__") {
			continue
		}
		if limited && !matches(pattern, use.argument) && !matches(pattern, strings.TrimSuffix(use.argument, " x")) {
			continue
		}
		switch use.tool {
		case "Bash":
			if !limited || matches(pattern, "toolscript other x") {
				return "every command of toolscript"
			}
			return "every " + strings.TrimSuffix(use.argument, " x")
		case "Skill":
			return "the skill of toolscript"
		}
		return "every call of toolscript"
	}
	return ""
}

// matches reports whether a pattern of a rule matches a whole text. * matches any text; :*
// at the end matches the end, or a blank and any text.
func matches(pattern, text string) bool {
	end := "$"
	if prefix, ok := strings.CutSuffix(pattern, ":*"); ok {
		pattern, end = prefix, "( .*)?$"
	}
	found, err := regexp.MatchString("^"+strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*")+end, text)
	return err == nil && found
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// managedSettings is the path of the administrator's settings file.
var managedSettings = map[string]string{
	"darwin":  "/Library/Application Support/ClaudeCode/managed-settings.json",
	"linux":   "/etc/claude-code/managed-settings.json",
	"windows": `C:\Program Files\ClaudeCode\managed-settings.json`,
}[runtime.GOOS]
