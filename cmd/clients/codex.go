package clients

import (
	"encoding/json"
	"fmt"
	"strings"
)

// codex has a TOML file, and names the variables that hold tokens instead of expanding them.
var codex = Client{
	Name: "codex", Title: "Codex", entry: plainEntry, programs: []string{"codex", "@openai/codex"}, inherit: "env_vars",
	files: func(p Places) []File {
		user, project := p.below(p.named("CODEX_HOME", ".codex"), "config.toml", "mcp_servers").connected(), p.project(".codex/config.toml", "mcp_servers").connected()
		user.format, project.format = tomlFile, tomlFile
		return []File{user, project}
	},
	translate: func(t *translation) {
		t.drop("name", "required", "supports_parallel_tool_calls")
		t.loseApprovals("default_tools_approval_mode", "tools")
		t.lose("experimental_environment", "toolscript starts servers on this machine")
		t.lose("oauth_resource", "toolscript finds the resource at the server")
		t.rename("http_headers", "headers")
		t.rename("enabled_tools", "includeTools")
		t.rename("disabled_tools", "excludeTools")
		for header, name := range object(t.fields["env_http_headers"]) {
			t.set("headers", header, reference(name))
		}
		if name, ok := t.fields["bearer_token_env_var"]; ok {
			t.set("headers", "Authorization", "Bearer "+reference(name))
		}
		t.drop("env_http_headers", "bearer_token_env_var")
		t.rename("tool_timeout_sec", "timeout")
		t.seconds("timeout")
		t.milliseconds("startup_timeout_ms", "startupTimeout")
		t.rename("startup_timeout_sec", "startupTimeout")
		t.seconds("startupTimeout")
		t.inheritedNames("env_vars")
		if login, ok := t.fields["oauth"].(map[string]any); ok {
			delete(t.fields, "oauth")
			t.setLogin("clientId", login["client_id"])
		}
		if scopes, ok := t.fields["scopes"]; ok {
			t.setLogin("scope", joined(scopes))
			t.drop("scopes")
		}
	},
	off: offField("enabled", false),
}

// inheritedNames converts a list of variable names, or of objects with a name, to inheritEnv.
func (t *translation) inheritedNames(field string) {
	var names []any
	list, _ := t.fields[field].([]any)
	for _, item := range list {
		if named, ok := item.(map[string]any); ok {
			item = named["name"]
		}
		names = append(names, item)
	}
	t.drop(field)
	if len(names) > 0 {
		t.fields["inheritEnv"] = names
	}
}

// reference returns ${NAME} for the name of a variable.
func reference(name any) string { return fmt.Sprintf("${%v}", name) }

func object(value any) map[string]any {
	fields, _ := value.(map[string]any)
	return fields
}

// joined joins a list of texts with blanks. Other values stay the same.
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

// tomlEntry returns the table of a server.
func tomlEntry(name string, e Entry) string {
	quote := func(value any) string {
		text, _ := json.Marshal(value) // strings and lists of strings always encode
		return string(text)
	}
	table := fmt.Sprintf("[mcp_servers.%s]\ncommand = %s\nargs = %s\n", name, quote(e.Command), quote(e.Args))
	if len(e.Variables) > 0 {
		table += fmt.Sprintf("env_vars = %s\n", quote(e.Variables))
	}
	return table
}
