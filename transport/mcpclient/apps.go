package mcpclient

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
)

// appsExtension is the name of MCP's extension for apps. A server may look for it before it lists
// the tools of its apps.
const appsExtension = "io.modelcontextprotocol/ui"

// apps is what this client says about the extension.
var apps = map[string]any{"mimeTypes": []string{toolscript.PageType}}

// uiOf reads what a tool says about apps in its _meta; nil if it says nothing. The member
// "ui/resourceUri" is the older form of "resourceUri". An invalid member is ignored.
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
