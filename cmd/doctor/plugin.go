package doctor

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/hook"
)

// Plugin describes the Claude Code plugin.
type Plugin struct {
	Installed bool     `json:"installed"`
	Version   string   `json:"version,omitempty"`
	AutoAllow bool     `json:"autoAllow"` // the hook allows safe commands of the agent without a question
	Rules     []string `json:"rules"`     // rules for permissions.allow that allow harmless commands without the hook
	Missing   []string `json:"missing"`   // rules that are missing in the user's settings
	Error     string   `json:"error,omitempty"`
}

// allowRules are rules for Claude Code's settings. A rule cannot exclude flags, so there
// are none for commands whose flags name files to read or write, such as exec and
// get-types. Flags that start or redirect something always need a person.
var allowRules = []string{"Bash(toolscript search *)", "Bash(toolscript list-servers)", "Bash(toolscript list-tools *)"}

// install are the commands that install the plugin.
const install = "claude plugin marketplace add toolscript/toolscript && claude plugin install toolscript@toolscript"

// plugin examines the plugin and the settings of Claude Code. Without Claude Code there are
// no findings.
func (x *examination) plugin() {
	p := Plugin{Rules: allowRules, Missing: []string{}}
	var err error
	if p.AutoAllow, err = config.AutoAllow(x.Host.Config); err != nil {
		p.Error = err.Error()
	}
	folder, _ := x.Host.Config.LookupEnv("CLAUDE_CONFIG_DIR")
	folder = cmp.Or(folder, filepath.Join(x.Home, ".claude"))
	root := ""
	p.Version, root, p.Installed = installedPlugin(folder)
	all := x.claudeSettings(folder)
	enabled, _ := switched(all)
	switch {
	case p.Installed && root != "" && !isFolder(root):
		x.warn("plugin", install, "Claude Code has the plugin in its list, and its folder %s does not exist", root)
	case !p.Installed && enabled != "":
		x.warn("plugin", install, "the plugin is enabled in %s, and not installed", enabled)
	case p.Installed:
		if text := hook.Mismatch(root, toolscript.Version); text != "" {
			x.warn("plugin", "claude plugin update toolscript", "%s", text)
		}
		x.stopped(all)
	case isFolder(folder) && !x.registered():
		x.warn("plugin", install+"; or, as an MCP server: toolscript connect claude-code",
			"Claude Code is installed here, and toolscript is not: neither its plugin nor its MCP server")
	}
	x.refusals(all)
	for _, rule := range allowRules {
		if !slices.ContainsFunc(all, func(s claudeSettings) bool { return s.user && slices.Contains(s.Permissions.Allow, rule) }) {
			p.Missing = append(p.Missing, rule)
		}
	}
	if p.Installed && !p.AutoAllow && len(p.Missing) > 0 {
		x.warn("plugin", "write the rules of toolscript doctor --json into permissions.allow of "+filepath.Join(folder, "settings.json"),
			"plugin.autoAllow is off, and rules for toolscript are missing in Claude Code's settings, so it asks for each command")
	}
	x.Plugin = p
}

// installedPlugin finds the plugin in the client's list of installed plugins.
func installedPlugin(folder string) (version, root string, ok bool) {
	text, err := os.ReadFile(filepath.Join(folder, "plugins", "installed_plugins.json")) //nolint:gosec // a folder of the client
	if err != nil {
		return "", "", false
	}
	var list struct {
		Plugins map[string]json.RawMessage `json:"plugins"`
	}
	if json.Unmarshal(text, &list) != nil {
		return "", "", false
	}
	type installation struct {
		Version string `json:"version"`
		Path    string `json:"installPath"`
	}
	for name, raw := range list.Plugins {
		if plugin, _, _ := strings.Cut(name, "@"); plugin != "toolscript" {
			continue
		}
		var one installation
		many := []installation{} // since version 2 of the file, there is one for each scope
		if json.Unmarshal(raw, &many) == nil && len(many) > 0 {
			one = many[max(0, slices.IndexFunc(many, func(i installation) bool { return isFolder(i.Path) }))]
		} else if json.Unmarshal(raw, &one) != nil {
			continue
		}
		return one.Version, one.Path, true
	}
	return "", "", false
}
