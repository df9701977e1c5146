package toolscript

// SearchQuery asks for tools that do something.
type SearchQuery struct {
	Text      string   // in the words of who needs a tool
	Limit     int      // hits, 1 to 100; 0 is the gateway's own
	Threshold *float64 // the lowest confidence, 0 to 1; nil is the gateway's own
	Servers   []string // only tools of these; none means all
	ReadOnly  bool     // only tools whose server says that they change nothing
	Allow     Filter   // only tools that it selects
	Types     bool     // with the TypeScript of what is found
}

// SearchAnswer is what was found, the best first.
type SearchAnswer struct {
	Query        string          `json:"query"`
	Results      []SearchHit     `json:"results"`
	TotalResults int             `json:"totalResults"`
	Threshold    float64         `json:"threshold"`
	Mode         string          `json:"mode"`              // lexical or hybrid: what the ranking rests on
	State        string          `json:"state"`             // as in SearchStatus
	Missing      []MissingServer `json:"missing,omitempty"` // servers whose tools could not be found
	Nearest      []string        `json:"nearest,omitempty"` // of a query without results: tools that are near all the same
	Types        string          `json:"types,omitempty"`   // the compact module of exactly the results
	Example      string          `json:"example,omitempty"` // a script that calls the first
}

// SearchHit is a tool that fits.
type SearchHit struct {
	ToolID      string         `json:"toolId"`
	ServerName  string         `json:"serverName"`
	ToolName    string         `json:"toolName"`
	Call        string         `json:"call"` // as scripts write it: tools.server.tool
	Confidence  float64        `json:"confidence"`
	Reason      string         `json:"reason"`
	Description string         `json:"description"`
	Score       float64        `json:"score"`
	Breakdown   ScoreBreakdown `json:"scoreBreakdown"`
}

// ScoreBreakdown is what a score is made of.
type ScoreBreakdown struct {
	Semantic float64 `json:"semantic"` // cosine of query and tool
	Fuzzy    float64 `json:"fuzzy"`    // how much of the query's words the tool has
	Combined float64 `json:"combined"`
}

// MissingServer is a server that is not connected, and why.
type MissingServer struct {
	Name  string      `json:"name"`
	State ServerState `json:"state"`
	Error string      `json:"error,omitempty"`
}

// SearchStatus says what tools can be searched by.
type SearchStatus struct {
	Ready    bool   `json:"ready"`    // every configured server has settled, and its tools are indexed
	Semantic bool   `json:"semantic"` // there is a model; it is in memory while somebody needs it
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
	Types        string      `json:"types"` // its compact module
}
