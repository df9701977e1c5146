package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Variable is an input of a server that the user gives.
type Variable struct {
	Name        string   `json:"name"` // of the variable of the environment; in ${NAME} of the definition
	Description string   `json:"description,omitempty"`
	Secret      bool     `json:"secret"`
	Required    bool     `json:"required"`
	Default     string   `json:"default,omitempty"`
	Choices     []string `json:"choices,omitempty"`
}

// Choice is one way to run a server.
type Choice struct {
	Kind       string          // remote, npm, pypi, oci or nuget
	From       string          // the package with its version, or the URL
	Runs       string          // the command line, or ""
	Flags      []string        // of the command line, for the program that starts the package
	Definition json.RawMessage // as mcpServers has it
	Needed     []Variable      // that the definition refers to
	Optional   []Variable      // that the definition does not have, because no value was given
}

// Choices are the ways to run a server, the best one first, and why the others cannot be
// used. values are inputs that the user has given, by the name of the input. With store, the
// definitions refer to secrets of the secret store. The error names a value that no input
// takes, or that does not fit.
func Choices(s Server, values map[string]string, store bool) (usable []Choice, refused []string, err error) {
	used := map[string]bool{}
	for _, r := range s.Remotes {
		c, err := remote(r, &inputs{store: store, prefix: upperCase(s.LocalName()), given: values, used: used})
		if wrong := (*GivenError)(nil); errors.As(err, &wrong) {
			return nil, nil, wrong
		}
		if err != nil {
			refused = append(refused, fmt.Sprintf("%.200s: %v", r.URL, err))
			continue
		}
		usable = append(usable, c)
	}
	for _, p := range s.Packages {
		c, err := local(p, &inputs{store: store, prefix: upperCase(s.LocalName()), given: values, used: used})
		if wrong := (*GivenError)(nil); errors.As(err, &wrong) {
			return nil, nil, wrong
		}
		if err != nil {
			refused = append(refused, fmt.Sprintf("%.20s package %.200s: %v", p.RegistryType, p.Identifier, err))
			continue
		}
		usable = append(usable, c)
	}
	for name := range values {
		if !used[name] {
			return nil, refused, fmt.Errorf("the server has no input %.80q", name)
		}
	}
	order := []string{"remote", "npm", "pypi", "oci", "nuget"}
	slices.SortStableFunc(usable, func(a, b Choice) int { return slices.Index(order, a.Kind) - slices.Index(order, b.Kind) })
	return usable, refused, nil
}

// definition is the server as mcpServers has it, in this order.
type definition struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`
	Env     pairs    `json:"env,omitempty"`
	URL     string   `json:"url,omitempty"`
	Headers pairs    `json:"headers,omitempty"`
}

// pairs is an object that keeps its order.
type pairs [][2]string

// MarshalJSON implements json.Marshaler.
func (p pairs) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	b.WriteByte('{')
	for i, pair := range p {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(pair[0])
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(pair[1])
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return []byte(b.String()), nil
}

func (c *Choice) define(d definition, in *inputs) (Choice, error) {
	var err error
	c.Definition, err = json.Marshal(d)
	c.Needed, c.Optional = in.needed, in.optional
	return *c, err
}

// remote is a server at a URL.
func remote(r Remote, in *inputs) (Choice, error) {
	kind, known := map[string]string{"streamable-http": "http", "sse": "sse"}[r.Type]
	if !known {
		return Choice{}, fmt.Errorf("the transport %.30q is not supported", r.Type)
	}
	address, err := in.fill(r.URL, r.Variables, "")
	if err != nil {
		return Choice{}, err
	}
	if u, err := url.Parse(reference().ReplaceAllString(address, "x")); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return Choice{}, fmt.Errorf("%.200q is not the address of a server", r.URL)
	}
	d := definition{Type: kind, URL: address}
	if d.Headers, err = in.pairs(r.Headers); err != nil {
		return Choice{}, err
	}
	c := Choice{Kind: "remote", From: address}
	return c.define(d, in)
}

// program is a package manager that starts a package.
type program struct {
	command       string
	before, after []string // the words before and after the name of the package
	separator     string   // of the name and the version
}

var programs = map[string]program{
	"npm":   {command: "npx", before: []string{"-y"}, separator: "@"},
	"pypi":  {command: "uvx", separator: "@"},
	"nuget": {command: "dnx", after: []string{"--yes", "--"}, separator: "@"},
	"oci":   {command: "docker", before: []string{"run", "-i", "--rm"}, separator: ":"},
}

// name is the name of a package with its version. An image may have a tag or a digest already.
func (s program) name(p Package) string {
	tagged := p.RegistryType == "oci" && (strings.Contains(p.Identifier[strings.LastIndex(p.Identifier, "/")+1:], ":") || strings.Contains(p.Identifier, "@"))
	if p.Version == "" || tagged {
		return p.Identifier
	}
	return p.Identifier + s.separator + p.Version
}

// source is how one kind of package is named, and where it comes from.
type source struct {
	identifier, version *regexp.Regexp
	registries          []string // as registryBaseUrl names them, without a "/" at the end
}

// sources are the forms of names and versions: nothing that a package manager could read as
// a flag, a file, another package or another place. "octo/cat" is a repository of GitHub to
// npm, and "npm:cat@1" in place of a version is another package.
var sources = sync.OnceValue(func() map[string]source {
	name, version := regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`), regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+!-]*$`)
	return map[string]source{
		"npm":   {regexp.MustCompile(`^(@[A-Za-z0-9][A-Za-z0-9._-]*/)?[A-Za-z0-9][A-Za-z0-9._-]*$`), version, []string{"https://registry.npmjs.org"}},
		"pypi":  {name, version, []string{"https://pypi.org"}},
		"nuget": {name, version, []string{"https://api.nuget.org/v3/index.json", "https://api.nuget.org"}},
		"oci":   {regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9@._/:-]*$`), version, []string{"https://docker.io"}},
	}
})

// check refuses a package that its package manager would not find where the entry says.
func (s source) check(p Package) error {
	base := strings.TrimSuffix(p.RegistryBaseURL, "/")
	switch {
	case !s.identifier.MatchString(p.Identifier) || strings.Contains(p.Identifier, "://") || p.Version != "" && !s.version.MatchString(p.Version):
		return errors.New("this is not the name and version of a package")
	case base != "" && !slices.Contains(s.registries, base):
		return fmt.Errorf("it is in another registry, %.200s", base)
	}
	for _, v := range p.EnvironmentVariables {
		switch {
		case !variableForm().MatchString(v.Name):
			return fmt.Errorf("%.80q is not the name of a variable", v.Name)
		case steering().MatchString(v.Name):
			return fmt.Errorf("the variable %s would change which program is started", v.Name)
		}
	}
	return nil
}

// steering are variables of package managers, of the loader of programs, and of the way to
// the registry of a package: with them, another program could be started.
var steering = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(npm_config_|pip_|uv_|nuget_|docker_|dotnet_|ld_|dyld_|` +
		`(path|home|userprofile|xdg_config_home|node_options|node_path|pythonpath|pythonhome|bash_env|` +
		`https?_proxy|all_proxy|no_proxy|node_extra_ca_certs|node_tls_reject_unauthorized|ssl_cert_file|ssl_cert_dir)$)`)
})

// local is a server that a package manager installs and starts.
func local(p Package, in *inputs) (Choice, error) {
	start, known := programs[p.RegistryType]
	if p.RegistryType == "oci" {
		p = withoutEnvironment(p)
	}
	switch {
	case p.RegistryType == "mcpb":
		return Choice{}, errors.New("bundles are not supported: unpack it, and add its program with toolscript call --stdio COMMAND --save NAME")
	case !known:
		return Choice{}, fmt.Errorf("packages of the type %.20q are not supported", p.RegistryType)
	case p.Transport.Type != "stdio":
		return Choice{}, fmt.Errorf("the transport %.30q of a package is not supported: start it yourself, and add its URL", p.Transport.Type)
	}
	if err := sources()[p.RegistryType].check(p); err != nil {
		return Choice{}, err
	}
	name := start.name(p)
	runtime, err := in.arguments(p.RuntimeArguments, true)
	if err != nil {
		return Choice{}, err
	}
	own, err := in.arguments(p.PackageArguments, false)
	if err != nil {
		return Choice{}, err
	}
	d := definition{Command: start.command}
	if d.Env, err = in.pairs(p.EnvironmentVariables); err != nil {
		return Choice{}, err
	}
	runtime = without(runtime, start.before)
	chosen := slices.Clone(runtime)
	if p.RegistryType == "oci" {
		for _, pair := range d.Env {
			runtime = append(runtime, "-e", pair[0]) // docker passes it on
		}
	}
	d.Args = slices.Concat(start.before, runtime, []string{name}, start.after, own)
	c := Choice{Kind: p.RegistryType, From: name, Runs: strings.Join(append([]string{start.command}, d.Args...), " "), Flags: chosen}
	return c.define(d, in)
}

// without is a list without the words that are there already, such as -y and --rm.
func without(words, there []string) (left []string) {
	for _, w := range words {
		if !strings.HasPrefix(w, "-") || !slices.Contains(there, w) {
			left = append(left, w)
		}
	}
	return left
}
