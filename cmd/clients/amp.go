package clients

// amp has its servers in its settings, under a key that contains a dot.
var amp = Client{
	Name: "amp", Title: "Amp", entry: plainEntry, programs: []string{"amp", "@sourcegraph/amp", "@ampcode/cli"}, set: dollarMember,
	files: func(p Places) []File {
		user := p.config("amp/settings.json", "amp.mcpServers")
		if p.System == "windows" {
			user = p.settings("amp/settings.json", "amp.mcpServers")
		}
		files := []File{user.connected()}
		if p.Project != "" {
			files = append(files, p.project(".amp/settings.json", "amp.mcpServers").connected())
		}
		return files
	},
	translate: func(*translation) {},
	off:       offField("disabled", true),
}
