package toolscript

import "slices"

// SearchQuery is a search for tools and skills.
type SearchQuery struct {
	Text      string   // a description of the task
	Limit     int      // maximum number of results, 1 to 100; 0 means the configured limit
	Threshold *float64 // minimum confidence of tools found by meaning, 0 to 1; nil means the configured one
	Servers   []string // only tools of these servers; empty means all servers
	ReadOnly  bool     // only tools that do not change anything, as their servers say
	Allow     Filter   // only tools that the filter selects
	Types     bool     // include the TypeScript declarations of the results
}

// Names reports whether the query names a server, with or without its account, or no server.
func (q SearchQuery) Names(server string) bool {
	return len(q.Servers) == 0 || slices.Contains(q.Servers, server) || slices.Contains(q.Servers, WithoutAccount(server))
}

// SearchAnswer holds the results of a search, best first.
type SearchAnswer struct {
	Query        string          `json:"query"`
	Results      []SearchHit     `json:"results"`
	Skills       []SkillHit      `json:"skills,omitempty"` // matching skills, best first
	TotalResults int             `json:"totalResults"`     // number of results without the limit
	Threshold    float64         `json:"threshold"`
	Mode         string          `json:"mode"`              // lexical or hybrid: the ranking method
	State        string          `json:"state"`             // as in SearchStatus
	Missing      []MissingServer `json:"missing,omitempty"` // servers that are not connected, so that their tools could not be found
	Nearest      []string        `json:"nearest,omitempty"` // ids of the results, if they are Unsure
	Hint         string          `json:"hint,omitempty"`    // how to improve the query, if the results are Unsure for a known reason
	Types        string          `json:"types,omitempty"`   // the compact module with the tools of Results
	Example      string          `json:"example,omitempty"` // a script that calls the first result
}

// SearchHit is a matching tool, or one of the nearest tools if no tool matches.
type SearchHit struct {
	ToolID      string         `json:"toolId"`
	ServerName  string         `json:"serverName"`
	Accounts    []string       `json:"accounts,omitempty"` // accounts of the server, the default first
	ToolName    string         `json:"toolName"`
	Call        string         `json:"call"` // expression in scripts: tools.server.tool
	Confidence  float64        `json:"confidence"`
	Reason      string         `json:"reason"`
	Description string         `json:"description"`
	Score       float64        `json:"score"`
	Unsure      bool           `json:"unsure,omitempty"` // the tool does not match and is only one of the nearest; set for all results or for none
	Breakdown   ScoreBreakdown `json:"scoreBreakdown"`
}

// SkillHit is a matching skill.
type SkillHit struct {
	ServerName  string  `json:"serverName"`
	Name        string  `json:"name"`
	URI         string  `json:"uri"` // URI of its SKILL.md at the server
	Description string  `json:"description"`
	Confidence  float64 `json:"confidence"`
}

// ScoreBreakdown holds the parts of a score.
type ScoreBreakdown struct {
	Semantic float64 `json:"semantic"` // cosine similarity of query and tool
	Fuzzy    float64 `json:"fuzzy"`    // share of the query's words that the tool has
	Combined float64 `json:"combined"`
}

// SearchStatus is the state of the search index.
type SearchStatus struct {
	Ready    bool   `json:"ready"`    // all configured servers have settled, and their tools are indexed
	Semantic bool   `json:"semantic"` // an embedding model is available
	State    string `json:"state"`    // lexical, indexing n/m or hybrid
}

// SearchStats holds the figures of the search.
type SearchStats struct {
	ToolsIndexed      int     `json:"toolsIndexed"`
	CachedEmbeddings  int     `json:"cachedEmbeddings"` // tools with a vector
	Model             string  `json:"model"`            // name of the model; "" if there is none
	SemanticAvailable bool    `json:"semanticAvailable"`
	CacheHitRate      float64 `json:"cacheHitRate"` // share of the vectors that came from the cache file
	SearchStatus
	Generation  uint64 `json:"generation"`          // generation of the indexed catalog
	ModelLoaded bool   `json:"modelLoaded"`         // the model is in memory
	Failed      int    `json:"failedEmbeddings"`    // tools that could not be embedded and are found by words only
	LastError   string `json:"lastError,omitempty"` // last error of the model or its file
	IndexingMs  int64  `json:"indexingMs"`          // total time for embedding tools so far
	Queries     int64  `json:"queries"`             // answered queries so far
}

// ToolDescription is one tool as a script sees it.
type ToolDescription struct {
	ToolID       string      `json:"toolId"`
	ServerName   string      `json:"serverName"`
	ToolName     string      `json:"toolName"`
	Call         string      `json:"call"` // expression in scripts: tools.server.tool
	Description  string      `json:"description"`
	InputSchema  any         `json:"inputSchema"`
	OutputSchema any         `json:"outputSchema,omitempty"`
	Annotations  Annotations `json:"annotations"`
	Original     *Original   `json:"original,omitempty"` // values of the server, if the configuration overrides them
	Types        string      `json:"types"`              // compact module of the tool
}
