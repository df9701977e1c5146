package toolscript

import "slices"

// UI is the metadata of a tool in MCP's extension for apps. An app is a page of the server. A
// client shows the page in a frame, and the page may call tools of its server.
type UI struct {
	Page     string `json:"page,omitempty"`     // URI of the resource that shows results of the tool; "" if there is none
	NoModels bool   `json:"noModels,omitempty"` // a model must neither see nor call the tool
	NoApps   bool   `json:"noApps,omitempty"`   // an app must not call the tool
}

const (
	// PageScheme begins the URIs of pages.
	PageScheme = "ui://"
	// PageType is the media type of pages.
	PageType = "text/html;profile=mcp-app"
)

// Page returns the URI of the page that shows results of the tool; "" if there is none.
func (t Tool) Page() string {
	if t.UI == nil {
		return ""
	}
	return t.UI.Page
}

// ForModels reports whether a model may see and call the tool.
func (t Tool) ForModels() bool { return t.UI == nil || !t.UI.NoModels }

// ForApps reports whether an app of the same server may call the tool.
func (t Tool) ForApps() bool { return t.Skill == nil && (t.UI == nil || !t.UI.NoApps) }

// AppTools returns the tools that a model must not see, sorted by id: tools for apps only, and tools that
// neither models nor apps may call.
func (c Catalog) AppTools() []Tool { return slices.Clone(c.appTools) }

// Find is like Lookup, but also finds the tools of AppTools.
func (c Catalog) Find(id string) (Tool, bool) {
	if t, ok := c.Lookup(id); ok {
		return t, true
	}
	if i := slices.IndexFunc(c.appTools, func(t Tool) bool { return t.ID() == id }); i >= 0 {
		return c.appTools[i], true
	}
	return Tool{}, false
}

// HasPage reports whether a resource is the page of a tool that f selects.
func (c Catalog) HasPage(server, uri string, f Filter) bool {
	is := func(t Tool) bool { return t.Server == server && t.Page() == uri && f.Match(t) }
	return uri != "" && (slices.ContainsFunc(c.tools, is) || slices.ContainsFunc(c.appTools, is))
}

// OfApps returns the tools of all servers that have a page. It includes the tools of AppTools that apps may
// call.
func (c Catalog) OfApps() []Tool {
	all, pages := slices.Concat(c.tools, c.appTools), map[string]bool{}
	for _, t := range all {
		pages[t.Server] = pages[t.Server] || t.Page() != ""
	}
	return slices.DeleteFunc(all, func(t Tool) bool { return !pages[t.Server] || !t.ForModels() && !t.ForApps() })
}
