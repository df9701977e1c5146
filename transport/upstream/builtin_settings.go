package upstream

// BuiltinSettings are the settings of built-in tools.
type BuiltinSettings struct {
	Exec   ExecSettings
	Web    WebSettings
	Agents AgentSettings
}

// ExecSettings are the settings of the tool exec.
type ExecSettings struct {
	Network  bool     // programs may use the network
	Writable []string // absolute paths that programs may write to, in addition to the root
}

// WebSettings are the settings of the tools that use the web.
type WebSettings struct {
	// AllowHosts lists hosts that may be reached although they are not public: host names, IP
	// addresses and prefixes such as 10.1.0.0/16. A name or address may have a port.
	AllowHosts []string
	Search     SearchSettings
}

// The providers of a web search.
const (
	Perplexity = "perplexity"
	Brave      = "brave"
	SearXNG    = "searxng"
)

// SearchSettings describe the provider of the tool webSearch.
type SearchSettings struct {
	Provider string // empty if there is none
	URL      string // address of the API; empty means the provider's own address
	Key      string // API key, a secret
}

// AgentSettings bound the tools agents.llm.chat and agents.launch. 0 means the default.
type AgentSettings struct {
	Provider  string   // the provider that is used if a call names none; "": the only one with a model
	Models    []string // models that a call may name in addition to the provider's own
	MaxTokens int      // limit of one answer; default: the limit of the provider
	Depth     int      // how deep agents launch agents; default 2: an agent, and the agents that it launches
	Turns     int      // limit of the answers of an agent and of all agents that it launches, together; default 20
	Calls     int      // limit of the tool calls of the same agents; default 200
}
