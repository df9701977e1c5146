package config

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolscript/toolscript/transport/upstream"
)

// Documented lists the variables that the documentation of a server's package names.
type Documented struct {
	Package  string
	Required [][]string // of each inner list, one variable is needed
	Optional []string   // variables that select what the server works with, such as a cluster
}

// Names returns all variables of d.
func (d Documented) Names() []string { return append(slices.Concat(d.Required...), d.Optional...) }

var (
	docker     = []string{"DOCKER_HOST", "DOCKER_CONTEXT"}
	kubernetes = []string{"KUBECONFIG"}
	screen     = []string{"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY"}
	keys       = []string{"SSH_AUTH_SOCK"}
)

// documented lists npm and PyPI packages, images and programs whose documentation asks for
// variables.
var documented = []Documented{
	{"@modelcontextprotocol/server-github", needs("GITHUB_PERSONAL_ACCESS_TOKEN"), nil},
	{"ghcr.io/github/github-mcp-server", needs("GITHUB_PERSONAL_ACCESS_TOKEN"), []string{"GITHUB_HOST"}},
	{"github-mcp-server", needs("GITHUB_PERSONAL_ACCESS_TOKEN"), []string{"GITHUB_HOST"}},
	{"@modelcontextprotocol/server-gitlab", needs("GITLAB_PERSONAL_ACCESS_TOKEN"), []string{"GITLAB_API_URL"}},
	{"@modelcontextprotocol/server-slack", needs("SLACK_BOT_TOKEN", "SLACK_TEAM_ID"), nil},
	{"@modelcontextprotocol/server-brave-search", needs("BRAVE_API_KEY"), nil},
	{"@brave/brave-search-mcp-server", needs("BRAVE_API_KEY"), nil},
	{"@modelcontextprotocol/server-google-maps", needs("GOOGLE_MAPS_API_KEY"), nil},
	{"@notionhq/notion-mcp-server", [][]string{{"NOTION_TOKEN", "OPENAPI_MCP_HEADERS"}}, nil},
	{"@supabase/mcp-server-supabase", needs("SUPABASE_ACCESS_TOKEN"), nil},
	{"@heroku/mcp-server", needs("HEROKU_API_KEY"), nil},
	{"@elastic/mcp-server-elasticsearch", [][]string{{"ES_URL"}, {"ES_API_KEY", "ES_USERNAME"}}, nil},
	{"tavily-mcp", needs("TAVILY_API_KEY"), nil},
	{"exa-mcp-server", needs("EXA_API_KEY"), nil},
	{"firecrawl-mcp", [][]string{{"FIRECRAWL_API_KEY", "FIRECRAWL_API_URL"}}, nil},
	{"mongodb-mcp-server", [][]string{{"MDB_MCP_CONNECTION_STRING", "MDB_MCP_API_CLIENT_ID"}}, nil},
	{"mcp-grafana", [][]string{{"GRAFANA_URL"}, {"GRAFANA_SERVICE_ACCOUNT_TOKEN", "GRAFANA_API_KEY", "GRAFANA_USERNAME"}}, nil},
	{"mcp-atlassian", [][]string{{"JIRA_URL", "CONFLUENCE_URL"}}, []string{"JIRA_API_TOKEN", "CONFLUENCE_API_TOKEN"}},
	{"mcp-server-docker", nil, append(docker[:2:2], keys...)},
	{"docker-mcp", nil, docker},
	{"mcp-server-kubernetes", nil, kubernetes},
	{"kubernetes-mcp-server", nil, kubernetes},
	{"mcp-server-git", nil, keys},
	{"@playwright/mcp", nil, append(screen[:3:3], "PLAYWRIGHT_BROWSERS_PATH")},
	{"chrome-devtools-mcp", nil, screen},
	{"@modelcontextprotocol/server-puppeteer", nil, append(screen[:3:3], "PUPPETEER_EXECUTABLE_PATH")},
}

// needs returns a Required list in which every name is needed.
func needs(names ...string) (all [][]string) {
	for _, name := range names {
		all = append(all, []string{name})
	}
	return all
}

// DocumentedOf returns the variables of the package that a server runs.
func DocumentedOf(c upstream.Config) (d Documented, known bool) {
	if !c.Kind().Process {
		return d, false
	}
	program := strings.TrimSuffix(filepath.Base(c.Command), ".exe")
	for _, d := range documented {
		if program == d.Package || slices.ContainsFunc(c.Args, func(arg string) bool { return isPackage(arg, d.Package) }) {
			return d, true
		}
	}
	return d, false
}

// isPackage reports whether an argument is a package, with or without a version.
func isPackage(arg, name string) bool {
	rest, found := strings.CutPrefix(arg, name)
	return found && (rest == "" || strings.ContainsRune("@:=[", rune(rest[0])))
}

// Used returns the sorted environment variables that the servers and settings in effect
// use: those that the files refer to, those of inheritEnv, and those that the documentation
// of the servers' packages names.
func Used(c *Config) []string {
	var names []string
	for _, f := range c.Files {
		if !f.Found || f.Project && !f.Trusted {
			continue
		}
		text, err := read(f)
		if err != nil {
			continue // Load has reported it
		}
		if d, err := parse(f.Path, text); err == nil {
			names = append(names, d.root.references()...)
		}
	}
	for _, server := range c.Servers {
		names = append(names, server.InheritNames...)
		d, _ := DocumentedOf(server)
		names = append(names, d.Names()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// references returns the names of the variables that the texts of a tree refer to.
func (n *node) references() (names []string) {
	for _, n := range n.all() {
		if n.text() == "" {
			continue
		}
		for _, p := range everyPiece(n.written) {
			if p.kind == variableReference {
				names = append(names, p.name)
			}
		}
	}
	return names
}
