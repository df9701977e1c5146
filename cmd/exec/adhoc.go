package exec

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/pflag"
	"mvdan.cc/sh/v3/shell"

	"github.com/toolscript/toolscript/cmd/config"
)

// AdhocName is the name of a server whose flag gives none.
const AdhocName = "adhoc"

// AdhocFlags are the flags that define servers for one command, without an entry in a
// configuration file.
type AdhocFlags struct {
	Save string // the name under which the server is written into the configuration; "" does not write it

	stdio, urls, env, headers []string
}

// Add adds the flags to a command.
func (o *AdhocFlags) Add(f *pflag.FlagSet) {
	f.StringArrayVar(&o.stdio, "stdio", nil, "also use the MCP server that this `command` starts, as the server "+AdhocName+"; NAME='COMMAND' gives it another name")
	f.StringArrayVar(&o.urls, "url", nil, "also use the MCP server at this `url`, as the server "+AdhocName+"; NAME=URL gives it another name")
	f.StringArrayVar(&o.env, "env", nil, "with --stdio: pass this `variable` to the server; NAME=VALUE sets it")
	f.StringArrayVar(&o.headers, "header", nil, "with --url: send this `header`, such as 'Authorization: Bearer ${TOKEN}'")
	f.StringVar(&o.Save, "save", "", "when the command succeeds, write the server of --stdio or --url into the configuration under this `name`")
}

// Used reports whether the flags name a server.
func (o *AdhocFlags) Used() bool { return len(o.stdio)+len(o.urls) > 0 }

// Servers returns the definitions of the servers by name. It is empty if no flag names a server.
func (o *AdhocFlags) Servers() (config.Extra, error) {
	switch {
	case !o.Used() && len(o.env)+len(o.headers) > 0:
		return nil, errors.New("--env and --header are for a server of --stdio or --url: add one of these")
	case !o.Used() && o.Save != "":
		return nil, errors.New("--save writes the server of --stdio or --url: add one of these")
	case len(o.env) > 0 && len(o.stdio) == 0:
		return nil, errors.New("--env is for a server of --stdio; the server of --url gets --header")
	case len(o.headers) > 0 && len(o.urls) == 0:
		return nil, errors.New("--header is for a server of --url; the server of --stdio gets --env")
	case o.Save != "" && !isName(o.Save):
		return nil, fmt.Errorf("--save %.80q is no name of a server: it has at most 64 letters of ASCII, digits, hyphens and underscores, and begins with a letter or a digit", o.Save)
	case o.Save != "" && len(o.stdio)+len(o.urls) > 1:
		return nil, errors.New("--save writes one server: give one --stdio or one --url")
	}
	servers := config.Extra{}
	add := func(name string, d definition) error {
		if _, again := servers[name]; again {
			return fmt.Errorf("two servers have the name %s: name one of them, as in --stdio NAME='COMMAND'", name)
		}
		servers[name], _ = json.Marshal(d) // strings always encode
		return nil
	}
	for _, text := range o.stdio {
		name, command := named(text)
		d, err := o.process(command)
		if err == nil {
			err = add(name, d)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, text := range o.urls {
		name, address := named(text)
		d, err := o.remote(address)
		if err == nil {
			err = add(name, d)
		}
		if err != nil {
			return nil, err
		}
	}
	return servers, nil
}

// AdhocNames returns the sorted names of the servers.
func AdhocNames(servers config.Extra) []string { return slices.Sorted(maps.Keys(servers)) }

// definition is a server in the form of the configuration file.
type definition struct {
	Type    string            `json:"type"`
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
}

// isName reports whether a text can be the name of a server in a flag. A regular expression
// would be compiled at the start of every command.
func isName(text string) bool {
	for i, r := range text {
		letter := r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r))
		if !letter && (i == 0 || r != '-' && r != '_') {
			return false
		}
	}
	return text != "" && len(text) <= 64
}

// named splits NAME=REST. Without NAME, the name is AdhocName.
func named(text string) (name, rest string) {
	if before, after, found := strings.Cut(text, "="); found && isName(before) {
		return before, after
	}
	return AdhocName, text
}

// process returns the server that a command line starts. $NAME and ${NAME} stay references
// to variables, as in a configuration file.
func (o *AdhocFlags) process(command string) (d definition, err error) {
	words, err := shell.Fields(ofSystem(command), reference)
	switch {
	case err != nil:
		return d, fmt.Errorf("--stdio %.200q is not one command: %w; for a pipe or a substitution, write: --stdio 'sh -c \"…\"'", command, err)
	case len(words) == 0 || words[0] == "":
		return d, errors.New("--stdio names no command: write for example --stdio 'npx -y SERVER'")
	}
	d = definition{Type: "stdio", Command: words[0], Args: words[1:], Env: map[string]string{}}
	for _, variable := range o.env {
		name, value, set := strings.Cut(variable, "=")
		if name == "" {
			return d, fmt.Errorf("--env %.80q names no variable: write --env NAME or --env NAME=VALUE", variable)
		}
		if !set {
			value = "${" + name + "}"
		}
		d.Env[name] = value
	}
	return d, nil
}

// ofSystem returns a command line in the form of a shell. On Windows, backslashes are parts of a path, unless a double
// quotation mark follows them.
func ofSystem(command string) string {
	if runtime.GOOS != "windows" {
		return command
	}
	var out strings.Builder
	quote := byte(0) // the mark of the quotation that is open, or 0
	escaped := false // the last backslash escapes this byte
	for i, c := range []byte(command) {
		before := escaped
		escaped = c == '\\' && quote != '\'' && !before && strings.HasPrefix(strings.TrimLeft(command[i:], `\`), `"`)
		switch {
		case c == '\\' && quote != '\'' && !before && !escaped:
			out.WriteByte('\\')
		case before:
		case c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		}
		out.WriteByte(c)
	}
	return out.String()
}

// reference returns a reference to a variable. IFS counts as not set, so that words end at blanks.
func reference(name string) string {
	if name == "IFS" {
		return ""
	}
	return "${" + name + "}"
}

// remote returns the server at an address.
func (o *AdhocFlags) remote(address string) (d definition, err error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return d, errors.New("--url needs the address of an MCP server, such as https://example.com/mcp")
	}
	d = definition{Type: "http", URL: address, Headers: map[string]string{}}
	for _, header := range o.headers {
		name, value, found := strings.Cut(header, ":")
		if !found || strings.TrimSpace(name) == "" {
			return d, errors.New("--header needs a name and a value: write --header 'Authorization: Bearer ${TOKEN}'")
		}
		d.Headers[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return d, nil
}
