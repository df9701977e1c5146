package doctor

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/hook"
)

// Plugin is the Claude Code plugin.
type Plugin struct {
	Installed bool     `json:"installed"`
	Version   string   `json:"version,omitempty"`
	AutoAllow bool     `json:"autoAllow"` // the hook allows safe commands of the agent
	Rules     []string `json:"rules"`     // of permissions.allow, for harmless commands, without the hook
	Missing   []string `json:"missing"`   // rules that the user's settings do not have
	Error     string   `json:"error,omitempty"`
}

// allowRules are rules of Claude Code's settings. A rule cannot exclude flags, so there is none
// for a command that writes or reads files which its flags name, such as exec and get-types.
// Flags that start or redirect something need a person in any case.
var allowRules = []string{"Bash(toolscript search *)", "Bash(toolscript list-servers)", "Bash(toolscript list-tools *)"}

// install are the commands that install the plugin.
const install = "claude plugin marketplace add toolscript/toolscript && claude plugin install toolscript@toolscript"

// plugin examines the plugin and the settings of its client. Without the client there is
// nothing to find.
func (x *examination) plugin() {
	p := Plugin{Rules: allowRules, Missing: []string{}}
	var err error
	if p.AutoAllow, err = config.AutoAllow(x.Host.Config); err != nil {
		p.Error = err.Error()
	}
	folder, _ := x.Host.Config.LookupEnv("CLAUDE_CONFIG_DIR")
	if folder == "" {
		folder = filepath.Join(x.Home, ".claude")
	}
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

// installedPlugin finds the plugin in the list of the client.
func installedPlugin(folder string) (version, root string, ok bool) {
	text, err := os.ReadFile(filepath.Join(folder, "plugins", "installed_plugins.json")) //nolint:gosec // the folder of the client
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
		many := []installation{} // since version 2 of the file, one for each scope
		if json.Unmarshal(raw, &many) == nil && len(many) > 0 {
			one = many[max(0, slices.IndexFunc(many, func(i installation) bool { return isFolder(i.Path) }))]
		} else if json.Unmarshal(raw, &one) != nil {
			continue
		}
		return one.Version, one.Path, true
	}
	return "", "", false
}
