package toolscript

import (
	"encoding/json"
	"fmt"
)

// Collection is what MCP servers list beside their tools.
type Collection string

// The collections, by the member of MCP's answer that holds their entries.
const (
	Resources         Collection = "resources"
	ResourceTemplates Collection = "resourceTemplates"
	Prompts           Collection = "prompts"
)

// MaxCursor bounds the cursor of a Page, in bytes.
const MaxCursor = 16 << 10

// Page is one page of a collection: of one server, or one page of each.
type Page struct {
	Of      Collection
	Entries []json.RawMessage // as MCP has them, each with the member "server"
	Next    string            // cursor of the page after this one; "" when there is none
	Missing []Missing         // servers whose entries are not here though they should be
}

// Missing is a server that could not be asked, and why.
type Missing struct {
	Server string `json:"server"`
	Kind   Kind   `json:"kind"`
	Error  string `json:"error"`
}

// MarshalJSON names the entries by their collection, as MCP does.
func (p Page) MarshalJSON() ([]byte, error) {
	entries := p.Entries
	if entries == nil {
		entries = []json.RawMessage{}
	}
	fields := map[string]any{string(p.Of): entries}
	if p.Next != "" {
		fields["nextCursor"] = p.Next
	}
	if len(p.Missing) > 0 {
		fields["missing"] = p.Missing
	}
	return json.Marshal(fields)
}

// UnmarshalJSON reads a page of p.Of.
func (p *Page) UnmarshalJSON(text []byte) error {
	var fields struct {
		Next    string    `json:"nextCursor"`
		Missing []Missing `json:"missing"`
	}
	var lists map[Collection]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return err
	}
	if err := json.Unmarshal(text, &lists); err != nil {
		return err
	}
	if lists[p.Of] == nil {
		return fmt.Errorf("a page of %s without them", p.Of)
	}
	p.Next, p.Missing = fields.Next, fields.Missing
	return json.Unmarshal(lists[p.Of], &p.Entries)
}

// Offered asks for what servers offer beside tools: a page of a collection, a
// resource or a prompt.
type Offered struct {
	ID     string // one of OfferedIDs
	Server string // configured name; of a page "" means all servers
	Cursor string // of a page: the Next of the one before

	URI    string            // of a resource
	Prompt string            // its name
	Args   map[string]string // of a prompt

	Allow     Filter // of the run: see Admits
	Run       string // id of the run that asks; empty outside any run
	RequestID string // id of the HTTP request, for the log
}

// The members of tools by which scripts ask, and their methods. No server and no
// tool has a name that begins with $.
const (
	ResourcesMember = "$resources"
	PromptsMember   = "$prompts"

	ListResources = ResourcesMember + Separator + "list"
	ListTemplates = ResourcesMember + Separator + "templates"
	ReadResource  = ResourcesMember + Separator + "read"
	ListPrompts   = PromptsMember + Separator + "list"
	GetPrompt     = PromptsMember + Separator + "get"
)

// OfferedIDs are the ids of all that can be asked for, by member and method.
func OfferedIDs() []string {
	return []string{ListResources, ListTemplates, ReadResource, ListPrompts, GetPrompt}
}

// Collection is the collection that o asks for a page of; "" when it does not.
func (o Offered) Collection() Collection {
	switch o.ID {
	case ListResources:
		return Resources
	case ListTemplates:
		return ResourceTemplates
	case ListPrompts:
		return Prompts
	}
	return ""
}

// Admits reports whether a run with this filter may ask a server for what o
// says: when the filter is nil or names the server, the member or the method.
func (o Offered) Admits(server string) bool {
	if o.Allow == nil {
		return true
	}
	for _, entry := range o.Allow {
		if entry == server || entry == o.Member() || entry == o.ID {
			return true
		}
	}
	return false
}

// Member is the member of tools that the ID belongs to.
func (o Offered) Member() string {
	if o.ID == ListPrompts || o.ID == GetPrompt {
		return PromptsMember
	}
	return ResourcesMember
}
