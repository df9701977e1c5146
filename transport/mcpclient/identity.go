package mcpclient

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Limits are the fields of a server, as a configuration file names them, that do not decide
// what the server is: they limit calls and select tools. Every other field decides it, also
// one that is added later. Config.Identity, the definitions that a user trusts, and those to
// which secrets are bound leave out these fields and no others.
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
	return c
}

// Identity returns what the server is, as a text: its whole definition without Limits, and
// without what is compared for each tool: Tools, Overrides, and the descriptions of Commands.
// A different text is a different server. Source is not part of it, because a server is looked
// up by it.
//
// Variables and secrets that a server receives stand in it as ${NAME}, because their values
// are renewed. A variable of another field is there with its value, because it chooses the
// program, the folder or the address. The text may have secrets: only its hash is kept.
func (c Config) Identity() string {
	text, _ := json.Marshal(c.identity()) // it was JSON
	return string(text)
}

// Definition is Identity for a person: the command or URL, and a line for each other value,
// without secrets.
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
	return Cleaner(c)(strings.Join(lines, "\n"))
}

// linesOf has a line for each value below a field.
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

// identity is the definition as a tree. Fields without a value are left out, so that a field
// that is added later does not change the identity of a server that does not have it.
func (c Config) identity() map[string]any {
	d := c.Connection()
	d.Disabled, d.Tools, d.Problem, d.Confine = false, nil, nil, nil
	fields := tree(d)
	login := below(fields, "OAuth") // secrets hide themselves from encoders, also if they are empty
	if c.OAuth.ClientSecret == "" {
		delete(login, "ClientSecret")
	}
	if c.OAuth.PrivateKey == "" {
		delete(login, "PrivateKey")
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
		case is && slices.Contains([]string{"Env", "Headers", "Commands"}, name): // an empty value is one
			if len(inner) > 0 {
				kept[name] = inner
			}
		default:
			if value = filled(value); value != nil {
				kept[name] = value
			}
		}
	}
	if c.Confine != nil { // an empty one allows nothing
		kept["Confine"] = tree(*c.Confine)
	}
	return kept
}

// tree is a value as encoding/json reads it back.
func tree(value any) (fields map[string]any) {
	text, _ := json.Marshal(value) // a Config has only texts, numbers, lists and maps
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	_ = decoder.Decode(&fields) // it was just encoded
	return fields
}

// below is the object at a path; nil if there is none.
func below(fields map[string]any, path ...string) map[string]any {
	for _, name := range path {
		fields, _ = fields[name].(map[string]any)
	}
	return fields
}

// received are the fields whose values the server gets; see Config.Identity.
var received = []string{"Env.", "Headers.", "API.auth.", "Settings.Web.Search.Key."}

// rename puts the names of variables and secrets in place of their values.
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

// namer returns the function that puts names in place of values: of all variables and secrets
// in a field that the server receives, and of secrets in any other.
func namer(secrets map[string]string) func(text string, received bool) string {
	stored := maps.Clone(secrets)
	maps.DeleteFunc(stored, func(name, _ string) bool { return !strings.HasPrefix(name, "${secret:") })
	all, some := Replacer(secrets), Replacer(stored)
	return func(text string, received bool) string {
		replace := some
		if received {
			replace = all
			for _, name := range slices.Sorted(maps.Keys(secrets)) { // also a short one
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

// filled is a tree without empty values.
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
