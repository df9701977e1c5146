package clients

import (
	"encoding/json"
	"fmt"
	"strings"
)

// goose has a YAML file, which lists its own extensions beside MCP servers. Its timeouts are in seconds.
var goose = Client{
	Name: "goose", Title: "Goose", entry: gooseEntry, programs: []string{"goose"},
	files: func(p Places) []File {
		user := p.configOrSettings("goose/config.yaml", "Block/goose/config/config.yaml", "extensions").connected()
		user.format = yamlFile
		return []File{user}
	},
	translate: func(t *translation) {
		switch kind := fmt.Sprint(t.fields["type"]); kind {
		case "stdio", "sse":
		case "streamable_http":
			t.fields["type"] = "http"
		default:
			t.skipped = true // an extension of goose itself
			return
		}
		t.rename("cmd", "command")
		t.rename("envs", "env")
		t.rename("uri", "url")
		t.rename("available_tools", "includeTools")
		t.seconds("timeout")
		t.drop("name", "display_name", "description", "bundled")
		if t.fields["command"] == nil {
			t.lose("env_keys", "a server at an address gets no variables")
		}
		t.inheritedNames("env_keys")
	},
	off: offField("enabled", false),
}

func gooseEntry(e Entry) ordered {
	out := append(ordered{{"type", "stdio"}, {"name", entryName}, {"enabled", true}, {"cmd", e.Command}}, plainEntry(e)[1:]...)
	return append(out, pair{"timeout", json.Number("300")})
}

// yamlEntry returns the lines of a server as a member of an object, with an indentation.
// The values are JSON, which is valid YAML.
func yamlEntry(name string, definition ordered, indent string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s:\n", indent, name)
	for _, p := range definition {
		fmt.Fprintf(&b, "%s  %s: %s\n", indent, p.key, style{"", ""}.render(p.value, ""))
	}
	return b.String()
}
