package config_test

import (
	"strings"
	"testing"

	"github.com/toolscript/toolscript/cmd/config"
)

func TestAutoAllow(t *testing.T) {
	for _, tt := range []struct {
		name, file string
		want, fail bool
	}{
		{"no file", "", true, false},
		{"not named", empty, true, false},
		{"on", `{"mcpServers": {}, "plugin": {"autoAllow": true}}`, true, false},
		{"off", `{"mcpServers": {}, "plugin": {"autoAllow": false}}`, false, false},
		{"empty", `{"mcpServers": {}, "plugin": {}}`, true, false},
		{"no JSON", `{"mcpServers": {}, "plugin": {"autoAllow": false}`, false, true},
		{"no boolean", `{"mcpServers": {}, "plugin": {"autoAllow": "no"}}`, false, true},
		{"a variable in an address", `{"mcpServers": {"a": {"url": "https://u:${A}@h/${B}"}}, "plugin": {"autoAllow": false}}`, false, false},
		{"a mistake in a server", `{"mcpServers": {"a": 1}, "plugin": {"autoAllow": true}}`, true, false},
		{"a mistake in the approvals", `{"mcpServers": {}, "approvals": 1, "plugin": {"autoAllow": true}}`, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(t)
			s.layout(tt.file, "", "")
			got, err := config.AutoAllow(s.options)
			if got != tt.want || (err != nil) != tt.fail {
				t.Errorf("AutoAllow = %v, %v; want %v, error %v", got, err, tt.want, tt.fail)
			}
		})
	}
}

// TestPluginOfAProject checks that the setting in a project's file has no effect and
// causes a warning.
func TestPluginOfAProject(t *testing.T) {
	s := newScene(t)
	s.write(s.project, `{"mcpServers": {}, "plugin": {"autoAllow": false}}`)
	if got, err := config.AutoAllow(s.options); !got || err != nil {
		t.Errorf("AutoAllow = %v, %v; want true", got, err)
	}
	if warnings := s.load().Warnings; !strings.Contains(strings.Join(warnings, "\n"), "plugin") {
		t.Errorf("warnings = %q, want one about plugin", warnings)
	}
}

func TestLoadSuggestions(t *testing.T) {
	model := func(rest string) string {
		return `{"mcpServers": {}, "suggestions": {"model": {"url": "https://m.example/v1", "model": "small"` + rest + `}}}`
	}
	for _, tt := range []struct {
		name, file string
		want       config.Suggestions
		fail       bool
	}{
		{"no file", "", config.Suggestions{}, false},
		{"not named", empty, config.Suggestions{}, false},
		{"off", `{"mcpServers": {}, "suggestions": {"enabled": false}}`, config.Suggestions{Off: true}, false},
		{"a model", model(`, "key": "${KEY}", "api": "anthropic"`), config.Suggestions{Model: config.SuggestionModel{API: "anthropic", URL: "https://m.example/v1", Name: "small", Key: "s3cret"}}, false},
		{"defaults", model(""), config.Suggestions{Model: config.SuggestionModel{API: "openai", URL: "https://m.example/v1", Name: "small"}}, false},
		{"a variable that is not set", model(`, "key": "${NONE}"`), config.Suggestions{}, false},
		{"another API", model(`, "api": "x"`), config.Suggestions{}, true},
		{"no name", `{"mcpServers": {}, "suggestions": {"model": {"url": "https://m.example"}}}`, config.Suggestions{}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(t)
			s.env["KEY"] = "s3cret"
			s.layout(tt.file, `{"mcpServers": {}, "suggestions": {"model": {"url": "https://evil.example", "model": "x"}}}`, "")
			got, err := config.LoadSuggestions(s.options)
			if got != tt.want || (err != nil) != tt.fail {
				t.Errorf("LoadSuggestions = %+v, %v; want %+v, error %v", got, err, tt.want, tt.fail)
			}
		})
	}
}
