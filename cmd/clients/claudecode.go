package clients

import (
	"path/filepath"
	"slices"
)

// claudeCode keeps the servers of the user, and those that the user added for one project,
// in ~/.claude.json. The servers that a project shares are in its .mcp.json.
var claudeCode = Client{
	Name: "claude-code", Title: "Claude Code", entry: typedEntry, programs: []string{"claude", "@anthropic-ai/claude-code"}, set: dollarMember,
	files: func(p Places) []File {
		folder := p.claudeFolder().state
		user, local := p.below(folder, ".claude.json", "mcpServers"), p.below(folder, ".claude.json", "projects", p.Project, "mcpServers")
		local.Project = true
		return []File{user.connected(), local, p.project(".mcp.json", "mcpServers").connected()} // in their order of precedence
	},
	translate: func(t *translation) {
		t.drop("alwaysLoad", "description")
		t.lose("headersHelper", "toolscript runs no command for headers")
		t.login("scopes", "authServerMetadataUrl")
	},
	excluded: func(p Places, file File, root any, name string) bool {
		inProject := object(object(object(root)["projects"])[p.Project])
		switch {
		case len(file.keys) > 1: // a server of one project
			return listed(inProject["disabledMcpServers"], name)
		case !file.Project:
			return false // only a project can disable it, for itself
		}
		user := p.claudeFolder()
		for _, at := range []struct {
			file File
			keys []string
		}{
			{p.below(user.settings, "settings.json"), nil},
			{p.project(".claude/settings.json"), nil},
			{p.project(".claude/settings.local.json"), nil},
			{p.below(user.state, ".claude.json"), []string{"projects", p.Project}},
		} {
			text, err := read(at.file)
			if err != nil {
				continue
			}
			d, err := parse(text)
			if err == nil && listed(d.root.at(append(at.keys, "disabledMcpjsonServers")...).plain(), name) {
				return true
			}
		}
		return false
	},
}

// claudeFolders are the folders with the files of Claude Code.
type claudeFolders struct{ state, settings string }

func (p Places) claudeFolder() claudeFolders {
	if own := p.env("CLAUDE_CONFIG_DIR"); filepath.IsAbs(own) {
		return claudeFolders{own, own}
	}
	return claudeFolders{p.Home, filepath.Join(p.Home, ".claude")}
}

// listed reports whether a list contains a text.
func listed(list any, text string) bool {
	items, _ := list.([]any)
	return slices.Contains(items, any(text))
}
