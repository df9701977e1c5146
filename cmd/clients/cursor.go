package clients

var cursor = Client{
	Name: "cursor", Title: "Cursor", entry: plainEntry, expand: editorVariable, programs: []string{"cursor-agent"}, set: editorMember,
	files: func(p Places) []File {
		return []File{p.user(".cursor/mcp.json", "mcpServers").connected(), p.project(".cursor/mcp.json", "mcpServers").connected()}
	},
	translate: func(t *translation) {
		t.drop("description")
		t.loseApprovals("autoApprove")
		t.lose("envFile", "toolscript does not read files of environment variables")
		if auth, ok := t.fields["auth"].(map[string]any); ok {
			delete(t.fields, "auth")
			t.setLogin("clientId", auth["CLIENT_ID"])
			t.setLogin("clientSecret", auth["CLIENT_SECRET"])
			t.setLogin("scope", joined(auth["scopes"]))
		}
	},
}
