package clients

// claudeDesktop has one file for the user. The file has no variables.
var claudeDesktop = Client{
	Name: "claude-desktop", Title: "Claude Desktop", entry: plainEntry,
	files: func(p Places) []File {
		file := p.settings("Claude/claude_desktop_config.json", "mcpServers")
		file.connect = true
		return []File{file}
	},
	translate: func(*translation) {},
}
