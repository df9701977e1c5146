package clients

import "slices"

// copilot has no variables in its files, according to its documentation. It also reads the
// .mcp.json of Claude Code.
var copilot = Client{
	Name: "copilot", Title: "Copilot CLI", entry: copilotEntry, programs: []string{"copilot", "@github/copilot"},
	files: func(p Places) []File {
		return []File{p.user(".copilot/mcp-config.json", "mcpServers").connected(), p.project(".github/mcp.json", "mcpServers").connected()}
	},
	translate: func(t *translation) {
		if tools, _ := t.fields["tools"].([]any); !slices.Contains(tools, any("*")) {
			if tools != nil && len(tools) == 0 { // no tool may be used
				t.fields["disabled"] = true
			}
			t.rename("tools", "includeTools")
		}
		t.drop("tools")
	},
	excluded: func(p Places, _ File, _ any, name string) bool {
		text, err := read(copilotSettings(p))
		if err != nil {
			return false
		}
		d, err := parse(text)
		return err == nil && listed(d.root.at(copilotDisabled).plain(), name)
	},
	off:      offListed(copilotDisabled),
	switches: copilotSettings,
}

// copilotDisabled is the key of the list of disabled servers.
const copilotDisabled = "disabledMcpServers"

func copilotSettings(p Places) File { return p.user(".copilot/settings.json") }

// copilotEntry adds the list of allowed tools: all.
func copilotEntry(e Entry) ordered {
	return append(ordered{{"type", "local"}}, append(plainEntry(e), pair{"tools", []any{"*"}})...)
}
