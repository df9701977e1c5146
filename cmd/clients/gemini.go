package clients

// gemini takes $NAME for a variable too. Its url is that of a server with the
// transport of 2024, or of either; httpUrl is that of the newer one.
var gemini = Client{
	Name: "gemini", Title: "Gemini CLI", entry: plainEntry, bare: true,
	files: func(p Places) []File {
		user := p.user(".gemini/settings.json", "mcpServers")
		user.connect = true
		if p.Project == "" {
			return []File{user}
		}
		project := p.project(".gemini/settings.json", "mcpServers")
		project.connect = true
		return []File{user, project}
	},
	translate: func(t *translation) {
		t.drop("trust", "description", "extensionName", "extension")
		t.rename("httpUrl", "url")
		t.lose("tcp", "toolscript has no transport over websocket")
		t.lose("authProviderType", "toolscript logs in with OAuth only")
		t.login("scopes", "enabled", "authorizationUrl", "tokenUrl", "redirectUri", "tokenParamName", "registrationUrl", "audiences")
	},
}
