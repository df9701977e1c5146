package setup

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Entry is one version of a server in the registry.
type Entry struct {
	Server Definition `json:"server"`
	Meta   struct {
		Official struct {
			Status        string `json:"status"` // active, deprecated or deleted; "" is active
			StatusMessage string `json:"statusMessage"`
		} `json:"io.modelcontextprotocol.registry/official"`
	} `json:"_meta"`
}

// Definition is the server.json of a publisher.
type Definition struct {
	Name        string `json:"name"` // namespace/name; the registry has checked that the publisher owns the namespace
	Description string `json:"description"`
	Version     string `json:"version"`
	Repository  struct {
		URL string `json:"url"`
	} `json:"repository"`
	Packages []Package `json:"packages"`
	Remotes  []Remote  `json:"remotes"`
}

// Package is a program that a package manager installs.
type Package struct {
	RegistryType         string     `json:"registryType"` // npm, pypi, oci, nuget, mcpb, cargo
	RegistryBaseURL      string     `json:"registryBaseUrl"`
	Identifier           string     `json:"identifier"`
	Version              string     `json:"version"`
	FileSHA256           string     `json:"fileSha256"` // SHA-256 of the file of a bundle
	Transport            Remote     `json:"transport"`
	RuntimeArguments     []Argument `json:"runtimeArguments"`
	PackageArguments     []Argument `json:"packageArguments"`
	EnvironmentVariables []KeyValue `json:"environmentVariables"`
}

// Remote is a server at a URL. As the transport of a package it may have only the type
// stdio.
type Remote struct {
	Type      string           `json:"type"` // stdio, streamable-http or sse
	URL       string           `json:"url"`
	Headers   []KeyValue       `json:"headers"`
	Variables map[string]Input `json:"variables"` // variables of the URL
}

// Input is a value that the publisher or the user gives.
type Input struct {
	Description string   `json:"description"`
	IsRequired  bool     `json:"isRequired"`
	IsSecret    bool     `json:"isSecret"`
	Format      string   `json:"format"` // string, number, boolean or filepath
	Value       string   `json:"value"`  // fixed value; {name} stands for a variable
	Default     string   `json:"default"`
	Choices     []string `json:"choices"`
}

// KeyValue is a header or an environment variable.
type KeyValue struct {
	Input
	Name      string           `json:"name"`
	Variables map[string]Input `json:"variables"`
}

// Argument is an argument of a command line.
type Argument struct {
	Input
	Type      string           `json:"type"` // positional or named
	Name      string           `json:"name"` // name of a named argument, with its dashes
	ValueHint string           `json:"valueHint"`
	Variables map[string]Input `json:"variables"`
}

// deleted is the status of a version that the registry no longer offers.
const deleted = "deleted"

// nameForm matches the names of servers in the registry.
var nameForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9.-]*/[a-zA-Z0-9][a-zA-Z0-9._-]*$`)
})

// IsName reports whether text is a full server name of the registry.
func IsName(text string) bool { return nameForm().MatchString(text) }

// Publisher describes who has published the server: the owner of a domain or of an account.
func (s Definition) Publisher() string {
	namespace, _, _ := strings.Cut(s.Name, "/")
	for _, host := range []string{"github", "gitlab"} {
		if account, ok := strings.CutPrefix(namespace, "io."+host+"."); ok {
			return fmt.Sprintf("%s (the account %s at %s)", namespace, account, host)
		}
	}
	labels := strings.Split(namespace, ".")
	slices.Reverse(labels)
	return fmt.Sprintf("%s (the owner of the domain %s)", namespace, strings.Join(labels, "."))
}

// Ranks of server names in a search, the best first.
const (
	isText = iota
	beginsWithText
	hasText
	inPublisher
)

// rank says where a server's name contains a lowercase text.
func (s Definition) rank(text string) int {
	_, own, _ := strings.Cut(strings.ToLower(s.Name), "/")
	switch {
	case own == text || s.LocalName() == text:
		return isText
	case strings.HasPrefix(own, text):
		return beginsWithText
	case strings.Contains(own, text) || strings.Contains(text, "/"):
		return hasText
	}
	return inPublisher
}

// LocalName returns a short name for the configuration: the last part of the name without
// the words mcp and server, or the last label of the namespace if nothing is left.
func (s Definition) LocalName() string {
	_, name, _ := strings.Cut(s.Name, "/")
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '-' || r == '_' || r == '.' })
	var kept []string
	for _, w := range words {
		if w != "mcp" && w != "server" {
			kept = append(kept, w)
		}
	}
	if len(kept) == 0 {
		namespace, _, _ := strings.Cut(s.Name, "/")
		labels := strings.Split(namespace, ".")
		return strings.ToLower(labels[len(labels)-1])
	}
	return strings.Join(kept, "-")
}
