// Package usage computes from the audit what tools and their results cost in the context of
// models, and what they would have cost as plain tool calls.
package usage

import (
	"time"

	"github.com/toolscript/toolscript/cmd/toolcache"
	"github.com/toolscript/toolscript/transport/mcpclient"
)

// MostShown bounds what a plain client gives to a model of one result, in tokens: the
// default of Claude Code for the output of an MCP tool.
const MostShown = 25_000

// bytesPerToken estimates tokens where the audit has only bytes.
const bytesPerToken = 4

// Observed is how long a server or tool must be known before it is called unused, unless the
// period is shorter.
const Observed = 7 * 24 * time.Hour

// Query selects what is computed.
type Query struct {
	Since, Now time.Time
	Server     string   // "": all
	Runs       []string // ids; nil: all
}

// Configured are the servers of the present configuration.
type Configured struct {
	Servers map[string]mcpclient.Config
	Cache   toolcache.Folder // has the tools that they listed last
}

// Report is the result.
type Report struct {
	Since    time.Time `json:"since,omitzero"`
	Until    time.Time `json:"until"`
	Sessions int       `json:"sessions"`
	Runs     int       `json:"runs"`
	Servers  []Server  `json:"servers"` // those that are configured or were called
	Tools    []Tool    `json:"tools"`   // of them

	// Other is what reached the agent and belongs to no server: results of searches, types,
	// and the output of runs without calls.
	Other int `json:"other"`

	// Estimated are the contents whose tokens are estimated from their bytes.
	Estimated int `json:"estimated,omitempty"`

	Work    *Work    `json:"work,omitempty"` // absent for a part of the servers
	Exclude []Advice `json:"exclude"`
}

// Traffic is what calls of a server or a tool have cost, in tokens.
type Traffic struct {
	Calls     int        `json:"calls"`
	Arguments int        `json:"arguments"`
	Results   int        `json:"results"`
	Reached   int        `json:"reached"` // the share of the output of runs, in proportion to the results
	LastUsed  *time.Time `json:"lastUsed,omitempty"`
}

// Definitions are the definitions of tools, in tokens.
type Definitions struct {
	Plain   int        `json:"plain"`           // as JSON: name, description and input schema
	Compact int        `json:"compact"`         // as the types that search and get-types show
	Since   *time.Time `json:"since,omitempty"` // when they were listed first
}

// Server is one server.
type Server struct {
	Server      string      `json:"server"`
	Configured  bool        `json:"configured"`
	Tools       int         `json:"tools"` // that it offers
	Definitions Definitions `json:"definitions"`
	Traffic
}

// Tool is one tool.
type Tool struct {
	Server      string      `json:"server"`
	Tool        string      `json:"tool"`    // its id
	Offered     bool        `json:"offered"` // by a server of the configuration
	Definitions Definitions `json:"definitions"`
	Traffic

	own string // the name that excludeTools needs
}

// Work compares what was done with the same calls of a client without scripts, in tokens.
type Work struct {
	Plain      Cost `json:"plain"`
	Toolscript Cost `json:"toolscript"`
	Saved      int  `json:"saved"` // negative: toolscript has cost more

	// CutResults are the results of which a plain client gives only MostShown tokens to the
	// model.
	CutResults int `json:"cutResults"`

	// Assumed are the sessions whose definitions are those of the present configuration,
	// because the audit does not have what they offered.
	Assumed int `json:"assumed"`

	// WithoutDefinitions is set for single runs: definitions belong to a session.
	WithoutDefinitions bool `json:"withoutDefinitions,omitempty"`
}

// Cost is what was in the context of models, each token once.
type Cost struct {
	Definitions int `json:"definitions"`
	Written     int `json:"written"` // by models: arguments or scripts
	Read        int `json:"read"`    // by models: results or output
	Total       int `json:"total"`
}

func (c *Cost) add() { c.Total = c.Definitions + c.Written + c.Read }

// Advice is a server or tools that were not used.
type Advice struct {
	Server string    `json:"server"`
	Tools  []string  `json:"tools,omitempty"` // names of the server; absent: the whole server
	Tokens int       `json:"tokens"`          // of their definitions
	Since  time.Time `json:"since"`
	Young  bool      `json:"young,omitempty"` // known for too short a time to be called unused
	Do     string    `json:"do,omitempty"`    // the command, or the line of the configuration
}
