package toolscript

// SearchQuery is a search for tools.
type SearchQuery struct {
	Text      string   // a description of the task
	Limit     int      // hits, 1 to 100; 0 is the gateway's own
	Threshold *float64 // the lowest confidence of a tool that is found by its meaning, 0 to 1; nil is the gateway's own
	Servers   []string // only tools of these; none means all
	ReadOnly  bool     // only tools whose server says that they change nothing
	Allow     Filter   // only tools that it selects
	Types     bool     // with the TypeScript of what is found
}

// SearchAnswer has the results of a search, the best first.
type SearchAnswer struct {
	Query        string          `json:"query"`
	Results      []SearchHit     `json:"results"`
	TotalResults int             `json:"totalResults"` // without a limit
	Threshold    float64         `json:"threshold"`
	Mode         string          `json:"mode"`              // lexical or hybrid: how results are ranked
	State        string          `json:"state"`             // as in SearchStatus
	Missing      []MissingServer `json:"missing,omitempty"` // servers whose tools could not be found
	Nearest      []string        `json:"nearest,omitempty"` // the ids of the results, if they are unsure
	Hint         string          `json:"hint,omitempty"`    // how to ask, if the results are unsure for a reason that is known
	Types        string          `json:"types,omitempty"`   // the compact module of exactly the results
	Example      string          `json:"example,omitempty"` // a script that calls the first
}

// SearchHit is a tool that fits, or a near one if none fits.
type SearchHit struct {
	ToolID      string         `json:"toolId"`
	ServerName  string         `json:"serverName"`
	ToolName    string         `json:"toolName"`
	Call        string         `json:"call"` // as scripts write it: tools.server.tool
	Confidence  float64        `json:"confidence"`
	Reason      string         `json:"reason"`
	Description string         `json:"description"`
	Score       float64        `json:"score"`
	Unsure      bool           `json:"unsure,omitempty"` // below the threshold, and without the words of the query; then all results are
	Breakdown   ScoreBreakdown `json:"scoreBreakdown"`
}

// ScoreBreakdown has the parts of a score.
type ScoreBreakdown struct {
	Semantic float64 `json:"semantic"` // cosine of query and tool
	Fuzzy    float64 `json:"fuzzy"`    // how much of the query's words the tool has
	Combined float64 `json:"combined"`
}

// SearchStatus is the state of the index.
type SearchStatus struct {
	Ready    bool   `json:"ready"`    // every configured server has settled, and its tools are indexed
	Semantic bool   `json:"semantic"` // there is a model
	State    string `json:"state"`    // lexical, indexing n/m or hybrid
}

// SearchStats are the figures of the search.
type SearchStats struct {
	ToolsIndexed      int     `json:"toolsIndexed"`
	CachedEmbeddings  int     `json:"cachedEmbeddings"` // tools that have a vector
	Model             string  `json:"model"`            // "" when there is none
	SemanticAvailable bool    `json:"semanticAvailable"`
	CacheHitRate      float64 `json:"cacheHitRate"` // the part of the vectors that came from the file
	SearchStatus
	Generation  uint64 `json:"generation"`          // of the catalog that is indexed
	ModelLoaded bool   `json:"modelLoaded"`         // it is in memory
	Failed      int    `json:"failedEmbeddings"`    // tools that could not be embedded: found by words
	LastError   string `json:"lastError,omitempty"` // of the model or of its file
	IndexingMs  int64  `json:"indexingMs"`          // how long tools have been embedded so far
	Queries     int64  `json:"queries"`             // answered so far
}

// ToolDescription is one tool as a script sees it.
type ToolDescription struct {
	ToolID       string      `json:"toolId"`
	ServerName   string      `json:"serverName"`
	ToolName     string      `json:"toolName"`
	Call         string      `json:"call"` // as scripts write it: tools.server.tool
	Description  string      `json:"description"`
	InputSchema  any         `json:"inputSchema"`
	OutputSchema any         `json:"outputSchema,omitempty"`
	Annotations  Annotations `json:"annotations"`
	Original     *Original   `json:"original,omitempty"` // what the server says, if the configuration overrides it
	Types        string      `json:"types"`              // its compact module
}
