package clients

import (
	"maps"
	"path/filepath"
)

// cline has one file for its program and its editor extensions; older extensions have a
// file in the settings of VS Code. Its timeouts are in seconds.
var cline = Client{
	Name: "cline", Title: "Cline", entry: plainEntry, programs: []string{"cline"},
	files: func(p Places) []File {
		own := p.user(".cline/data/settings/cline_mcp_settings.json", "mcpServers")
		switch {
		case filepath.IsAbs(p.env("CLINE_MCP_SETTINGS_PATH")):
			path := p.env("CLINE_MCP_SETTINGS_PATH")
			own = p.below(filepath.Dir(path), filepath.Base(path), "mcpServers")
		case filepath.IsAbs(p.env("CLINE_DATA_DIR")):
			own = p.below(p.env("CLINE_DATA_DIR"), "settings/cline_mcp_settings.json", "mcpServers")
		case filepath.IsAbs(p.env("CLINE_DIR")):
			own = p.below(p.env("CLINE_DIR"), "data/settings/cline_mcp_settings.json", "mcpServers")
		}
		return []File{own.connected(), p.settings("Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json", "mcpServers")}
	},
	translate: func(t *translation) {
		if inner := object(t.fields["transport"]); inner != nil {
			t.drop("transport")
			maps.Copy(t.fields, inner)
		}
		t.rename("transportType", "type")
		t.drop("metadata")
		t.seconds("timeout")
		t.loseApprovals("autoApprove", "alwaysAllow")
	},
	off: offField("disabled", true),
}
