package clients

// zed has MCP servers of its own, and settings for servers that its extensions start. Its
// timeouts are in seconds.
var zed = Client{
	Name: "zed", Title: "Zed", entry: plainEntry,
	files: func(p Places) []File {
		user := p.configOrSettings("zed/settings.json", "Zed/settings.json", "context_servers")
		return []File{user.connected(), p.project(".zed/settings.json", "context_servers").connected()}
	},
	translate: func(t *translation) {
		if inner := object(t.fields["command"]); inner != nil { // the form of older versions
			t.fields["command"], t.fields["args"], t.fields["env"] = inner["path"], inner["args"], inner["env"]
		}
		t.drop("source", "remote")
		if t.fields["command"] == nil && t.fields["url"] == nil {
			t.refused = "an extension of Zed starts it, and only Zed knows its command"
			return
		}
		t.lose("settings", "only an extension of Zed uses them")
		t.seconds("timeout")
		if login := object(t.fields["oauth"]); login != nil {
			t.drop("oauth")
			t.setLogin("clientId", login["client_id"])
			t.setLogin("clientSecret", login["client_secret"])
		}
	},
	off: offField("enabled", false),
}
