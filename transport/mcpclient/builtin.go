package mcpclient

// BuiltinSettings are the settings of built-in tools.
type BuiltinSettings struct {
	Exec ExecSettings
	Web  WebSettings
}

// ExecSettings are the settings of the tool exec.
type ExecSettings struct {
	Network  bool     // programs may use the network
	Writable []string // absolute paths that programs may write to, in addition to the root
}

// WebSettings are the settings of the tools that use the web.
type WebSettings struct {
	// AllowHosts are what may be reached although it is not public: host names, IP
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

// SearchSettings are the provider of the tool webSearch.
type SearchSettings struct {
	Provider string // empty if there is none
	URL      string // where the API is; empty means the provider's own address
	Key      string // a secret
}
