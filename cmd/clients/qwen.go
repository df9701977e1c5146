package clients

// qwen is a fork of Gemini CLI.
var qwen = Client{
	Name: "qwen", Title: "Qwen Code", entry: qwenEntry, bare: true, programs: []string{"qwen", "@qwen-code/qwen-code"}, set: dollarMember,
	files: func(p Places) []File {
		return []File{
			p.user(".qwen/settings.json", "mcpServers").connected(),
			p.project(".qwen/settings.json", "mcpServers").connected(), p.project(".qwen/settings.local.json", "mcpServers"),
		}
	},
	translate: func(t *translation) {
		translateGemini(t)
		t.milliseconds("discoveryTimeoutMs", "startupTimeout")
		t.drop("alwaysLoadTools", "versionNegotiation", "appResourceMaxBytes", "appResourceTimeoutMs")
	},
	excluded: geminiExcluded,
	off:      offListed("mcp", "excluded"),
}

// qwenEntry makes Qwen Code give the tools to the model at once. By default it defers the
// tools of MCP servers, so that the model would have to search for search_tools.
func qwenEntry(e Entry) ordered { return append(plainEntry(e), pair{"alwaysLoadTools", true}) }
