package runs

import (
	"time"

	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/upstream"
)

// MostShown is the maximum number of tokens of one result that a plain client gives to a
// model: the default of Claude Code for the output of an MCP tool.
const MostShown = 25_000

// bytesPerToken is the estimate where the audit has only bytes.
const bytesPerToken = 4

// ObservedUsage is how long a server or tool must be known before it is called unused, unless
// the period is shorter.
const ObservedUsage = 7 * 24 * time.Hour

// UsageQuery selects what ReadUsage computes.
type UsageQuery struct {
	Since, Now time.Time
	Server     string   // only this server; "": all
	Runs       []string // only these run ids; nil: all
}

// UsageConfigured describes the servers of the current configuration.
type UsageConfigured struct {
	Servers map[string]upstream.Config
	Cache   server.ToolLists // has their last tool lists
}

// UsageReport is the result of ReadUsage.
type UsageReport struct {
	Since    time.Time     `json:"since,omitzero"`
	Until    time.Time     `json:"until"`
	Sessions int           `json:"sessions"`
	Runs     int           `json:"runs"`
	Servers  []ServerUsage `json:"servers"` // configured or called servers
	Tools    []ToolUsage   `json:"tools"`   // tools of these servers

	// Other is the number of tokens that reached the agent and belong to no server: results
	// of searches, types, and the output of runs without calls.
	Other int `json:"other"`

	// Estimated is the number of contents whose tokens were estimated from their bytes.
	Estimated int `json:"estimated,omitempty"`

	Work    *WorkUsage    `json:"work,omitempty"` // nil if only one server was selected
	Exclude []UsageAdvice `json:"exclude"`
}

// Traffic is the cost of the calls of a server or a tool, in tokens.
type Traffic struct {
	Calls     int        `json:"calls"`
	Arguments int        `json:"arguments"`
	Results   int        `json:"results"`
	Reached   int        `json:"reached"` // share of the output of runs, in proportion to the results
	LastUsed  *time.Time `json:"lastUsed,omitempty"`
}

// Definitions is the size of tool definitions, in tokens.
type Definitions struct {
	Plain   int        `json:"plain"`           // as JSON: name, description and input schema
	Compact int        `json:"compact"`         // as the types that search and get-types show
	Since   *time.Time `json:"since,omitempty"` // time when they were first listed
}

// ServerUsage is the usage of one server.
type ServerUsage struct {
	Server      string      `json:"server"`
	Configured  bool        `json:"configured"`
	Tools       int         `json:"tools"` // number of tools that it offers
	Definitions Definitions `json:"definitions"`
	Traffic
}

// ToolUsage is the usage of one tool.
type ToolUsage struct {
	Server      string      `json:"server"`
	Tool        string      `json:"tool"`    // id of the tool
	Offered     bool        `json:"offered"` // a server of the configuration offers it
	Definitions Definitions `json:"definitions"`
	Traffic

	own string // name for excludeTools
}

// WorkUsage compares the cost of the work with that of the same calls by a client without scripts, in tokens.
type WorkUsage struct {
	Plain      UsageCost `json:"plain"`
	Toolscript UsageCost `json:"toolscript"`
	Saved      int       `json:"saved"` // negative if toolscript has cost more

	// CutResults is the number of results of which a plain client would give only MostShown
	// tokens to the model.
	CutResults int `json:"cutResults"`

	// Assumed is the number of sessions for which the definitions of the current
	// configuration are assumed, because the audit does not have their own.
	Assumed int `json:"assumed"`

	// WithoutDefinitions is set for single runs, because definitions belong to a session.
	WithoutDefinitions bool `json:"withoutDefinitions,omitempty"`
}

// UsageCost is the number of tokens in the context of models, each token counted once.
type UsageCost struct {
	Definitions int `json:"definitions"`
	Written     int `json:"written"` // by models: arguments or scripts
	Read        int `json:"read"`    // by models: results or output
	Total       int `json:"total"`
}

func (c *UsageCost) add() { c.Total = c.Definitions + c.Written + c.Read }

// UsageAdvice is about a server or tools that were not used.
type UsageAdvice struct {
	Server string    `json:"server"`
	Tools  []string  `json:"tools,omitempty"` // names of the tools; absent: the whole server
	Tokens int       `json:"tokens"`          // size of their definitions
	Since  time.Time `json:"since"`
	Young  bool      `json:"young,omitempty"` // known for too short a time to be called unused
	Do     string    `json:"do,omitempty"`    // command, or line of the configuration
}
