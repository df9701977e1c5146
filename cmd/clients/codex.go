package clients

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
)

// codex has TOML, and names the variables of tokens instead of expanding them.
var codex = Client{
	Name: "codex", Title: "Codex", entry: plainEntry,
	files: func(p Places) []File {
		folder := filepath.Join(p.Home, ".codex")
		if own := p.env("CODEX_HOME"); filepath.IsAbs(own) {
			folder = own
		}
		user := p.below(folder, "config.toml", "mcp_servers")
		user.toml, user.connect = true, true
		if p.Project == "" {
			return []File{user}
		}
		project := p.project(".codex/config.toml", "mcp_servers")
		project.toml, project.connect = true, true
		return []File{user, project}
	},
	translate: func(t *translation) {
		t.drop("name", "required", "supports_parallel_tool_calls", "startup_timeout_sec", "startup_timeout_ms",
			"default_tools_approval_mode", "tools", "experimental_environment", "oauth_resource")
		t.rename("http_headers", "headers")
		t.rename("enabled_tools", "includeTools")
		t.rename("disabled_tools", "excludeTools")
		for header, name := range object(t.fields["env_http_headers"]) {
			t.header(header, reference(name))
		}
		if name, ok := t.fields["bearer_token_env_var"]; ok {
			t.header("Authorization", "Bearer "+reference(name))
		}
		t.drop("env_http_headers", "bearer_token_env_var")
		if seconds, ok := t.fields["tool_timeout_sec"]; ok {
			t.fields["timeout"] = fmt.Sprintf("%vs", seconds)
			t.drop("tool_timeout_sec")
		}
		t.inheritedNames()
		if login, ok := t.fields["oauth"].(map[string]any); ok {
			delete(t.fields, "oauth")
			t.setLogin("clientId", login["client_id"])
		}
		if scopes, ok := t.fields["scopes"]; ok {
			t.setLogin("scope", joined(scopes))
			t.drop("scopes")
		}
	},
}

// inheritedNames turns env_vars, which has names or objects with a name, into
// inheritEnv.
func (t *translation) inheritedNames() {
	var names []any
	list, _ := t.fields["env_vars"].([]any)
	for _, item := range list {
		if named, ok := item.(map[string]any); ok {
			item = named["name"]
		}
		names = append(names, item)
	}
	t.drop("env_vars")
	if len(names) > 0 {
		t.fields["inheritEnv"] = names
	}
}

// reference is ${NAME} for the name of a variable.
func reference(name any) string { return fmt.Sprintf("${%v}", name) }

func object(value any) map[string]any {
	fields, _ := value.(map[string]any)
	return fields
}

// joined is a list of texts as one, with blanks between.
func joined(value any) any {
	list, ok := value.([]any)
	if !ok {
		return value
	}
	texts := make([]string, len(list))
	for i, item := range list {
		texts[i] = fmt.Sprint(item)
	}
	return strings.Join(texts, " ")
}

// tomlEntry is the table of a server.
func tomlEntry(name string, e Entry) string {
	quote := func(value any) string {
		text, _ := json.Marshal(value) // strings and lists of strings always can be
		return string(text)
	}
	return fmt.Sprintf("[mcp_servers.%s]\ncommand = %s\nargs = %s\n", name, quote(e.Command), quote(e.Args))
}
