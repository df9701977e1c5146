package mcpclient

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
)

// appsExtension is the name of MCP's extension for apps. A server may list the tools of its apps only
// for clients that support the extension.
const appsExtension = "io.modelcontextprotocol/ui"

// apps are the settings of this client for the extension.
var apps = map[string]any{"mimeTypes": []string{toolscript.PageType}}

// uiOf reads the metadata of apps in the _meta of a tool. It returns nil if there are none. The member
// "ui/resourceUri" is the older form of "resourceUri". uiOf ignores invalid members.
func uiOf(meta json.RawMessage) *toolscript.UI {
	var m struct {
		UI    json.RawMessage `json:"ui"`
		Older json.RawMessage `json:"ui/resourceUri"`
	}
	var page, older string
	var said struct {
		Page       json.RawMessage `json:"resourceUri"`
		Visibility json.RawMessage `json:"visibility"`
	}
	if json.Unmarshal(meta, &m) != nil {
		return nil
	}
	_ = json.Unmarshal(m.UI, &said)
	_ = json.Unmarshal(said.Page, &page)
	_ = json.Unmarshal(m.Older, &older)
	if page == "" {
		page = older
	}
	var ui toolscript.UI
	if strings.HasPrefix(page, toolscript.PageScheme) && len(page) <= maxPageURI {
		ui.Page = page
	}
	var visibility []string
	if json.Unmarshal(said.Visibility, &visibility) == nil && visibility != nil {
		ui.NoModels, ui.NoApps = !slices.Contains(visibility, "model"), !slices.Contains(visibility, "app")
	}
	if ui == (toolscript.UI{}) {
		return nil
	}
	return &ui
}

const maxPageURI = 2 << 10 // bytes
