package upstream

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/toolscript/toolscript/internal/redact"
)

// Limits returns the fields of a server, as a configuration file names them, that are not part of
// its identity: they limit calls and select tools. Every other field is part of it, even one that
// is added later. Config.Identity, trusted definitions, and the definitions to which secrets are
// bound leave out exactly these fields.
func Limits() []string {
	return []string{
		"disabled", "timeout", "startupTimeout", "idle", "concurrency", "rateLimit",
		"includeTools", "excludeTools", "operations",
	}
}

// Connection returns the part of the configuration that decides which server is
// reached and how. The rest limits calls and selects tools.
func (c Config) Connection() Config {
	c.IncludeTools, c.ExcludeTools, c.Timeout, c.Concurrency, c.Secrets = nil, nil, 0, 0, nil
	c.Source, c.Written, c.RateLimit, c.Idle, c.Overrides, c.StartupTimeout = "", "", RateLimit{}, 0, nil, 0
	c.Accounts = nil
	return c
}

// Identity returns a text that identifies the server: its definition without Limits, and without
// the parts that are compared for each tool: Tools, Overrides, and the descriptions of Commands.
// A different text means a different server. Source is left out, because servers are looked up
// by it.
//
// Variables and secrets that the server receives appear as ${NAME}, because their values are
// renewed. In other fields, variables appear with their values, because these choose the program,
// the folder or the address. The text may contain secrets: keep only its hash.
func (c Config) Identity() string {
	text, _ := json.Marshal(c.identity()) // it was JSON
	return string(text)
}

// Definition returns the identity as text for people: the command or URL, and a line for each
// other value, without secrets.
func (c Config) Definition() string {
	fields := c.identity()
	first := c.URL
	if c.URL == "" {
		first = strings.Join(append([]string{c.Command}, c.Args...), " ")
	}
	for _, name := range []string{"Type", "Command", "Args", "URL"} {
		delete(fields, name)
	}
	lines := slices.DeleteFunc(append([]string{first}, linesOf("", fields)...), func(line string) bool { return line == "" })
	return NewRedactor(c).Clean(strings.Join(lines, "\n"))
}

// linesOf returns a line for each value below a field.
func linesOf(at string, fields map[string]any) (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		path := strings.TrimPrefix(at+"."+name, ".")
		if inner, is := fields[name].(map[string]any); is && len(inner) > 0 {
			lines = append(lines, linesOf(path, inner)...)
			continue
		}
		value, is := fields[name].(string)
		if !is {
			text, _ := json.Marshal(fields[name]) // it was JSON
			value = string(text)
		}
		lines = append(lines, path+": "+strings.ReplaceAll(value, "\n", `\n`))
	}
	return lines
}

// identity returns the definition as a tree. Empty fields are left out, so that a field that is
// added later does not change the identity of servers that do not set it.
func (c Config) identity() map[string]any {
	d := c.Connection()
	d.Disabled, d.Tools, d.Problem, d.Confine = false, nil, nil, nil
	fields := tree(d)
	login := below(fields, "OAuth") // secrets are encoded as a placeholder, even if they are empty
	for name, secret := range c.OAuth.Secrets() {
		if *secret == "" {
			delete(login, name)
		}
	}
	delete(below(fields, "API"), "operations")
	for name := range below(fields, "Commands") {
		command := below(fields, "Commands", name)
		delete(command, "description")
		delete(command, "timeout")
	}
	rename(fields, "", namer(c.Secrets))
	kept := map[string]any{}
	for name, value := range fields {
		switch inner, is := value.(map[string]any); {
		case is && slices.Contains([]string{"Env", "Headers", "Commands"}, name): // here, an empty value counts
			if len(inner) > 0 {
				kept[name] = inner
			}
		default:
			if value = filled(value); value != nil {
				kept[name] = value
			}
		}
	}
	if c.Confine != nil { // an empty Confine allows nothing
		kept["Confine"] = tree(*c.Confine)
	}
	return kept
}

// tree converts a value to the maps that encoding/json reads back.
func tree(value any) (fields map[string]any) {
	text, _ := json.Marshal(value) // a Config has only texts, numbers, lists and maps
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	_ = decoder.Decode(&fields) // it was just encoded
	return fields
}

// below returns the object at a path; nil if there is none.
func below(fields map[string]any, path ...string) map[string]any {
	for _, name := range path {
		fields, _ = fields[name].(map[string]any)
	}
	return fields
}

// received are the fields whose values the server gets; see Config.Identity.
var received = []string{"Env.", "Headers.", "API.auth.", "Settings.Web.Search.Key."}

// rename replaces the values of variables and secrets by their names.
func rename(fields map[string]any, at string, names func(text string, received bool) string) {
	var renamed func(value any, at string) any
	renamed = func(value any, at string) any {
		switch value := value.(type) {
		case string:
			return names(value, slices.ContainsFunc(received, func(of string) bool { return strings.HasPrefix(at, of) }))
		case []any:
			for i := range value {
				value[i] = renamed(value[i], at)
			}
		case map[string]any:
			rename(value, at, names)
		}
		return value
	}
	for name, value := range fields {
		fields[name] = renamed(value, at+name+".")
	}
}

// namer returns the function that replaces values by names: the values of all variables and secrets
// in a field that the server receives, and only the values of secrets in other fields.
func namer(secrets map[string]string) func(text string, received bool) string {
	stored := maps.Clone(secrets)
	maps.DeleteFunc(stored, func(name, _ string) bool { return !strings.HasPrefix(name, "${secret:") })
	all, some := redact.New(secrets), redact.New(stored)
	return func(text string, received bool) string {
		replace := some
		if received {
			replace = all
			for _, name := range slices.Sorted(maps.Keys(secrets)) { // even a short value
				if text != "" && secrets[name] == text {
					return name
				}
			}
		}
		if replace == nil {
			return text
		}
		return replace.Replace(text)
	}
}

// filled removes the empty values from a tree. It returns nil if nothing is left.
func filled(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, inner := range value {
			if inner = filled(inner); inner == nil {
				delete(value, name)
			} else {
				value[name] = inner
			}
		}
		if len(value) == 0 {
			return nil
		}
	case []any:
		if len(value) == 0 {
			return nil
		}
	case string:
		if value == "" {
			return nil
		}
	case bool:
		if !value {
			return nil
		}
	case json.Number:
		if value == "0" {
			return nil
		}
	}
	return value
}
