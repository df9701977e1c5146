package cli

import (
	"fmt"
	"strings"

	"github.com/toolscript/toolscript/cmd/config"
)

// pluginHealth is what doctor says about the Claude Code plugin.
type pluginHealth struct {
	AutoAllow bool     `json:"autoAllow"` // the hook allows safe commands of the agent
	Rules     []string `json:"rules"`     // of permissions.allow, which do about the same without the hook
	Error     string   `json:"error,omitempty"`
}

// allowRules are rules of Claude Code's settings. A rule cannot exclude flags, so there is
// none for exec without --trust.
var allowRules = []string{"Bash(toolscript search *)", "Bash(toolscript get-types *)", "Bash(toolscript list-servers)", "Bash(toolscript list-tools *)", "Bash(toolscript exec *)"}

func (a *app) examinePlugin() pluginHealth {
	h := pluginHealth{Rules: allowRules}
	var err error
	if h.AutoAllow, err = config.AutoAllow(a.host.Config); err != nil {
		h.Error = err.Error()
	}
	return h
}

func (p pluginHealth) text() string {
	state := "allows safe commands of the agent"
	switch {
	case p.Error != "":
		state = "asks for each command, because " + visible(p.Error)
	case !p.AutoAllow:
		state = "asks for each command (plugin.autoAllow in ~/" + config.FileName + ")"
	}
	return fmt.Sprintf("plugin      %s; by hand, in permissions.allow of Claude Code's settings: \"%s\"\n", state, strings.Join(p.Rules, `", "`))
}
