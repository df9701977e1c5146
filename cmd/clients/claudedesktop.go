package clients

// claudeDesktop has one file for the user. The file has no variables.
var claudeDesktop = Client{
	Name: "claude-desktop", Title: "Claude Desktop", entry: plainEntry,
	files: func(p Places) []File {
		return []File{p.settings("Claude/claude_desktop_config.json", "mcpServers").connected()}
	},
	translate: func(*translation) {},
}
