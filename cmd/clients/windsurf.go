package clients

var windsurf = Client{
	Name: "windsurf", Title: "Windsurf", expand: editorVariable,
	files: func(p Places) []File {
		return []File{p.user(".codeium/windsurf/mcp_config.json", "mcpServers")}
	},
	translate: func(t *translation) {
		t.drop("description")
		t.loseApprovals("alwaysAllow", "autoApprove")
		t.rename("serverUrl", "url")
		t.rename("disabledTools", "excludeTools")
	},
}
