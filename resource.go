package toolscript

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Collection is the name of one of the lists that MCP servers have in addition to tools.
type Collection string

// The collections. Each value is the member of MCP's answer that holds the entries.
const (
	Resources         Collection = "resources"
	ResourceTemplates Collection = "resourceTemplates"
	Prompts           Collection = "prompts"
	Skills            Collection = "skills" // of MCP's extension for skills
)

// MaxCursor is the maximum length of the cursor of a Page, in bytes.
const MaxCursor = 16 << 10

// Page is one page of a collection of one server or of all servers.
type Page struct {
	Of      Collection
	Entries []json.RawMessage // as MCP defines them, each with an additional member "server"
	Next    string            // cursor of the next page; "" on the last page
	Missing []Missing         // servers that did not answer
}

// Missing is a server whose entries are missing from a page, and the reason.
type Missing struct {
	Server string `json:"server"`
	Kind   Kind   `json:"kind"`
	Error  string `json:"error"`
}

// MarshalJSON encodes the page with the entries under the name of their collection, as in MCP.
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
	return PlainJSON(fields)
}

// UnmarshalJSON decodes a page of the collection p.Of.
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
		return fmt.Errorf("the page has no member %q", p.Of)
	}
	p.Next, p.Missing = fields.Next, fields.Missing
	return json.Unmarshal(lists[p.Of], &p.Entries)
}

// FetchRequest is a request for a page of a collection, for a resource or for a prompt.
type FetchRequest struct {
	ID     string // one of FetchIDs
	Server string // configured name; for a page, "" means all servers
	Cursor string // for a page: Page.Next of the previous page

	URI    string            // URI of the resource; with Complete, the URI template
	Prompt string            // name of the prompt
	Args   map[string]string // arguments of the prompt

	Argument, Value string // with Complete: the argument, and the beginning of its value

	Selected bool // leave out entries that Config.Selects does not select

	Wait time.Duration // as Call.Wait

	Allow     Filter // allow list of the run, see Admits
	Run       string // id of the run; "" outside any run
	CallID    string // id of the request within the run, for the log
	RequestID string // id of the HTTP request, for the log
	Trace     string // traceparent of the caller; "" if there is none

	Origin *Origin // receives the fleet host that answers; may be nil
}

// The members of tools for a FetchRequest, and the ids of their methods. No identifier
// of a server or tool begins with $.
const (
	ResourcesMember = "$resources"
	PromptsMember   = "$prompts"

	ListResources = ResourcesMember + Separator + "list"
	ListTemplates = ResourcesMember + Separator + "templates"
	ReadResource  = ResourcesMember + Separator + "read"
	ListPrompts   = PromptsMember + Separator + "list"
	GetPrompt     = PromptsMember + Separator + "get"

	// The ids of requests for skills. The gateway answers ListSkills itself. ReadSkill reads a file
	// and compares it with its digest. Scripts have no such methods.
	SkillsMember = "$skills"
	ListSkills   = SkillsMember + Separator + "list"
	GetSkill     = SkillsMember + Separator + "get"
	ReadSkill    = SkillsMember + Separator + "read"

	// Complete is the id of a request for values of an argument of a prompt or of a variable of
	// a resource template. Scripts have no such method.
	Complete = "$complete"

	// Subscribe asks a server to announce the changes of a resource, and Unsubscribe asks it to stop.
	// SetLogLevel asks for log messages of the level in Value and of more important levels. The
	// gateway makes these requests for a WatchQuery.
	Subscribe   = ResourcesMember + Separator + "subscribe"
	Unsubscribe = ResourcesMember + Separator + "unsubscribe"
	SetLogLevel = "$logging" + Separator + "setLevel"
)

// FetchIDs returns the ids of all methods of $resources and $prompts.
func FetchIDs() []string {
	return []string{ListResources, ListTemplates, ReadResource, ListPrompts, GetPrompt}
}

// IsFetch reports whether id is the id of a request that only reads: for resources, prompts or skills, or
// for a subscription.
func IsFetch(id string) bool {
	return slices.Contains(append(FetchIDs(), ListSkills, GetSkill, ReadSkill, Subscribe), id)
}

// IsAnnouncement reports whether id is the id of a request that tells a server what to announce. Such a
// request needs a connection of this process to the MCP server: a hub does not pass it on.
func IsAnnouncement(id string) bool { return id == Subscribe || id == Unsubscribe || id == SetLogLevel }

// Method returns the MCP method of the request, such as resources/read; "" for an id
// without one.
func (r FetchRequest) Method() string {
	switch r.ID {
	case ListResources:
		return "resources/list"
	case ListTemplates:
		return "resources/templates/list"
	case ReadResource:
		return "resources/read"
	case ListPrompts:
		return "prompts/list"
	case GetPrompt:
		return "prompts/get"
	case Complete:
		return "completion/complete"
	case ListSkills:
		return "skills/list"
	case GetSkill:
		return "skills/get"
	case Subscribe:
		return "resources/subscribe"
	case Unsubscribe:
		return "resources/unsubscribe"
	case SetLogLevel:
		return "logging/setLevel"
	}
	return ""
}

// Collection returns the collection of a request for a page, and "" for other requests.
func (r FetchRequest) Collection() Collection {
	switch r.ID {
	case ListResources:
		return Resources
	case ListTemplates:
		return ResourceTemplates
	case ListPrompts:
		return Prompts
	case ListSkills:
		return Skills
	}
	return ""
}

// Admits reports whether the allow list lets the request reach a server. It does if the
// list is nil or selects the server, the member of tools or the method.
func (r FetchRequest) Admits(server string) bool {
	return r.Allow == nil || slices.ContainsFunc(r.Allow, func(entry string) bool {
		return allParts(entry, func(part string) bool {
			return matchAccount(part, server) || MatchName(part, r.Member()) || MatchName(part, r.ID)
		})
	})
}

// Member returns the member of tools that the method belongs to.
func (r FetchRequest) Member() string {
	if r.ID == ListPrompts || r.ID == GetPrompt || r.ID == Complete && r.Prompt != "" {
		return PromptsMember
	}
	if r.ID == ListSkills || r.ID == GetSkill || r.ID == ReadSkill {
		return SkillsMember
	}
	return ResourcesMember
}
