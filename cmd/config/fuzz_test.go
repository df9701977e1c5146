package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/config"
)

// FuzzLoad loads any bytes as the file of an untrusted project, because a repository can contain any file.
func FuzzLoad(f *testing.F) {
	complete, err := os.ReadFile(filepath.Join("testdata", "complete.toolscript.json"))
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range []string{
		"", "{", empty, hostile, string(complete), `{"mcpServers": {"a": {"a": 1}, "a": null}}`, "[[[[", "\ufeff{}", "{\"\xff\"",
		`{"mcpServers": {"": {"command": 1e999, "timeout": -0.5}}, "limits": {"x": {}}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s := newScene(t)
		s.env["SECRET"] = "hunter2"
		s.write(s.project, string(text))
		c, err := config.Load(s.options)
		if err != nil {
			wantMistakes(t, text, err)
			return
		}
		for name, server := range c.Servers {
			if toolscript.KindOf(server.Problem) != toolscript.Forbidden {
				t.Errorf("server %q of a file that is not trusted may start: %v", name, server.Problem)
			}
		}
	})
}

// wantMistakes checks that every mistake has a valid position.
func wantMistakes(t *testing.T, text []byte, err error) {
	t.Helper()
	var mistakes config.Mistakes
	if !errors.As(err, &mistakes) || len(mistakes) == 0 {
		t.Fatalf("Load = %v, want Mistakes", err)
	}
	lines := strings.Count(string(text), "\n") + 1
	for _, m := range mistakes {
		if m.Line < 1 || m.Line > lines || m.Column < 1 || m.Message == "" {
			t.Errorf("mistake %+v is nowhere in %q", m, text)
		}
		if strings.Contains(m.Error(), "hunter2") {
			t.Errorf("mistake %v shows the value of a variable", m)
		}
	}
}
