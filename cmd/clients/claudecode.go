package clients

import "path/filepath"

// claudeCode keeps the servers of the user, and those that the user added for one
// project, in ~/.claude.json; those that a project shares are in its .mcp.json.
var claudeCode = Client{
	Name: "claude-code", Title: "Claude Code", entry: typedEntry,
	files: func(p Places) []File {
		folder := p.Home
		if own := p.env("CLAUDE_CONFIG_DIR"); filepath.IsAbs(own) {
			folder = own
		}
		user := p.below(folder, ".claude.json", "mcpServers")
		user.connect = true
		files := []File{user}
		if p.Project != "" {
			local := p.below(folder, ".claude.json", "projects", p.Project, "mcpServers")
			local.Project = true
			shared := p.project(".mcp.json", "mcpServers")
			shared.connect = true
			files = append(files, local, shared) // as they count there
		}
		return files
	},
	translate: func(t *translation) {
		t.drop("alwaysLoad", "description")
		t.lose("headersHelper", "toolscript runs no command for headers")
		t.login("scopes", "authServerMetadataUrl")
	},
}
