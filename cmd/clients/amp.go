package clients

// amp has its servers in its settings, under a key that contains a dot.
var amp = Client{
	Name: "amp", Title: "Amp", entry: plainEntry, programs: []string{"amp", "@sourcegraph/amp", "@ampcode/cli"}, set: dollarMember,
	files: func(p Places) []File {
		user := p.configOrSettings("amp/settings.json", "amp/settings.json", "amp.mcpServers")
		return []File{user.connected(), p.project(".amp/settings.json", "amp.mcpServers").connected()}
	},
	translate: func(*translation) {},
	off:       offField("disabled", true),
}
