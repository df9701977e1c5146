package setup

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Variable is an input of a server for which the user sets a variable.
type Variable struct {
	Name        string   `json:"name"` // name of the environment variable, as in ${NAME} of the definition
	Description string   `json:"description,omitempty"`
	Secret      bool     `json:"secret"`
	Required    bool     `json:"required"`
	Default     string   `json:"default,omitempty"`
	Choices     []string `json:"choices,omitempty"`
}

// Choice is one way to run a server.
type Choice struct {
	Kind       string          // kind of --from: remote, or the type of the package
	From       string          // package with its version, or URL
	Runs       string          // command line; "" for a remote server
	Flags      []string        // flags that the publisher gives to the program that starts the package
	Definition json.RawMessage // in the form of mcpServers
	Needed     []Variable      // variables to which the definition refers
	Optional   []Variable      // variables that the definition omits, because no value was given
}

// Choices returns the ways to run a server, the best first, and the reasons why others
// cannot be used. values are the inputs that the user has given, by name. With store, the
// definitions refer to secrets of the secret store. The error names a value that no input
// takes, or that is invalid.
func Choices(s Definition, values map[string]string, store bool) (usable []Choice, refused []string, err error) {
	used := map[string]bool{}
	add := func(name string, choice func(*inputs) (Choice, error)) {
		c, failed := choice(&inputs{store: store, prefix: upperCase(s.LocalName()), given: values, used: used})
		wrong, given := errors.AsType[givenError](failed)
		switch {
		case given:
			err = cmp.Or(err, error(wrong))
		case failed != nil:
			refused = append(refused, fmt.Sprintf("%s: %v", name, failed))
		default:
			usable = append(usable, c)
		}
	}
	for _, r := range s.Remotes {
		add(fmt.Sprintf("%.200s", r.URL), func(in *inputs) (Choice, error) { return remote(r, in) })
	}
	for _, p := range s.Packages {
		add(fmt.Sprintf("%.20s package %.200s", p.RegistryType, p.Identifier), func(in *inputs) (Choice, error) { return local(p, in) })
	}
	if err != nil {
		return nil, nil, err
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

// definition is a server in the form of mcpServers, with its fields in this order.
type definition struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`
	Env     pairs    `json:"env,omitempty"`
	URL     string   `json:"url,omitempty"`
	Headers pairs    `json:"headers,omitempty"`
}

// pairs is an object that keeps the order of its members.
type pairs [][2]string

// MarshalJSON implements json.Marshaler.
func (p pairs) MarshalJSON() ([]byte, error) {
	members := make([]string, len(p))
	for i, pair := range p {
		text, err := json.Marshal(map[string]string{pair[0]: pair[1]})
		if err != nil {
			return nil, err
		}
		members[i] = string(text[1 : len(text)-1])
	}
	return []byte("{" + strings.Join(members, ",") + "}"), nil
}

func (c *Choice) define(d definition, in *inputs) (Choice, error) {
	var err error
	c.Definition, err = json.Marshal(d)
	c.Needed, c.Optional = in.needed, in.optional
	return *c, err
}

// remote returns the choice of a server at a URL.
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

// program is a package manager that can start a package.
type program struct {
	command       string
	before, after []string // words before and after the name of the package
	separator     string   // separates the name and the version
}

var programs = map[string]program{
	"npm":   {command: "npx", before: []string{"-y"}, separator: "@"},
	"pypi":  {command: "uvx", separator: "@"},
	"nuget": {command: "dnx", after: []string{"--yes", "--"}, separator: "@"},
	"oci":   {command: "docker", before: []string{"run", "-i", "--rm"}, separator: ":"},
}

// name returns the name of a package with its version. An image may have a tag or digest already.
func (s program) name(p Package) string {
	tagged := p.RegistryType == "oci" && (strings.Contains(p.Identifier[strings.LastIndex(p.Identifier, "/")+1:], ":") || strings.Contains(p.Identifier, "@"))
	if p.Version == "" || tagged {
		return p.Identifier
	}
	return p.Identifier + s.separator + p.Version
}

// source says how packages of one kind are named and where they come from.
type source struct {
	identifier, version *regexp.Regexp
	registries          []string // values of registryBaseUrl, without a final "/"
}

// sources returns the allowed forms of names and versions. They exclude anything that a
// package manager could read as a flag, a file, another package or another place: to npm,
// "octo/cat" is a repository of GitHub, and the version "npm:cat@1" is another package.
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

// steering matches variables of package managers, program loaders and network access, with
// which another program could be started.
var steering = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(npm_config_|pip_|uv_|nuget_|docker_|dotnet_|ld_|dyld_|` +
		`(path|home|userprofile|xdg_config_home|node_options|node_path|pythonpath|pythonhome|bash_env|` +
		`https?_proxy|all_proxy|no_proxy|node_extra_ca_certs|node_tls_reject_unauthorized|ssl_cert_file|ssl_cert_dir)$)`)
})

// local returns the choice of a server that a package manager installs and starts.
func local(p Package, in *inputs) (Choice, error) {
	start, known := programs[p.RegistryType]
	if p.RegistryType == "oci" {
		p = withoutEnvironment(p)
	}
	switch {
	case p.RegistryType == "mcpb":
		return Choice{}, errors.New("a bundle is taken with --from mcpb")
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
			runtime = append(runtime, "-e", pair[0]) // docker passes the variable on
		}
	}
	d.Args = slices.Concat(start.before, runtime, []string{name}, start.after, own)
	c := Choice{Kind: p.RegistryType, From: name, Runs: strings.Join(append([]string{start.command}, d.Args...), " "), Flags: chosen}
	return c.define(d, in)
}

// without removes flags that are already in there, such as -y and --rm.
func without(words, there []string) (left []string) {
	for _, w := range words {
		if !strings.HasPrefix(w, "-") || !slices.Contains(there, w) {
			left = append(left, w)
		}
	}
	return left
}
