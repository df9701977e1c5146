package builtin_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGrepFiles(t *testing.T) {
	s := newScene(t, map[string]string{
		"a.ts": "describe('authentication')\n", "b.test.ts": "describe('authentication')\n", "src/c.test.ts": "x\n  describe(authentication)\n", "src/d.go": "authentication\n",
		"node_modules/m/e.test.ts": "describe authentication\n", ".gitignore": "node_modules/\n",
	})
	for _, test := range []struct {
		args object
		want string
	}{
		{object{"pattern": "describe.*authentication", "include": "*.test.ts"}, "b.test.ts\nsrc/c.test.ts"},
		{object{"pattern": "authentication"}, "a.ts\nb.test.ts\nsrc/c.test.ts\nsrc/d.go"},
		{object{"pattern": "authentication", "limit": 1}, "a.ts"},
		{object{"pattern": "authentication", "path": "src"}, "src/c.test.ts\nsrc/d.go"},
		{object{"pattern": "authentication", "path": "src", "include": "/*.go"}, "src/d.go"},
		{object{"pattern": "authentication", "path": "src/d.go"}, "src/d.go"},
		{object{"pattern": "authentication", "path": "src/d.go", "include": "*.ts"}, ""},
		{object{"pattern": "authentication", "path": "node_modules"}, "node_modules/m/e.test.ts"},
		{object{"pattern": "nowhere"}, ""},
	} {
		r := s.call("grepFiles", test.args)
		if diff := cmp.Diff(test.want, r.text()); diff != "" || r.Structured["success"] != true {
			t.Errorf("%v (-want +got):\n%s", test.args, diff)
		}
	}
	for want, args := range map[string]object{
		"not a regular expression": {"pattern": "("},
		"the glob is not valid":    {"pattern": "x", "include": "[a"},
		"does not exist":           {"pattern": "x", "path": "none"},
	} {
		if r := s.call("grepFiles", args); !r.IsError || !strings.Contains(r.text(), want) {
			t.Errorf("%v: %s, want %q", args, r.raw, want)
		}
	}
}

func TestFileSearch(t *testing.T) {
	s := newScene(t, map[string]string{
		"actors/server/conn.go": "", "actors/server/connect.go": "", "transport/mcpclient/conn.go": "", "docs/conn.md": "", "a.test.ts": "", "src/b.test.ts": "",
		"dist/conn.go": "", ".gitignore": "/dist\n", ".hidden/conn.go": "",
	})
	paths := func(args object) (names []string) {
		t.Helper()
		files, _ := s.call("fileSearch", args).Structured["files"].([]any)
		for _, file := range files {
			fields, _ := file.(map[string]any)
			name, _ := fields["path"].(string)
			if _, scored := fields["score"].(float64); !scored {
				t.Errorf("%v: no score: %v", args, file)
			}
			names = append(names, name)
		}
		return names
	}
	for _, test := range []struct {
		args object
		want []string
	}{
		{object{"pattern": "srvconn"}, []string{"actors/server/conn.go", "actors/server/connect.go"}},
		{object{"pattern": "mcp conn"}, []string{"transport/mcpclient/conn.go"}},
		{object{"pattern": "*.test.ts"}, []string{"a.test.ts", "src/b.test.ts"}},
		{object{"pattern": "*.test.ts", "limit": 1}, []string{"a.test.ts"}},
		{object{"pattern": "*.{md,ts}", "exclude": []string{"src/", "*.md"}}, []string{"a.test.ts"}},
		{object{"pattern": "conn.go", "searchDirectory": "actors"}, []string{"actors/server/conn.go", "actors/server/connect.go"}},
		{object{"pattern": "serverconn", "searchDirectory": "actors", "exclude": []string{"/server/connect.go"}}, []string{"actors/server/conn.go"}},
		{object{"pattern": "zzz"}, nil},
	} {
		if diff := cmp.Diff(test.want, paths(test.args)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", test.args, diff)
		}
	}
	if got := paths(object{"pattern": "conn.md"}); len(got) == 0 || got[0] != "docs/conn.md" {
		t.Errorf("the name of a file: %q", got)
	}
	if r := s.call("fileSearch", object{"pattern": "zzz"}); !strings.Contains(string(r.raw), `"files":[]`) {
		t.Errorf("no file: %s", r.raw)
	}
	for want, args := range map[string]object{"the glob": {"pattern": "[a"}, "does not exist": {"pattern": "x", "searchDirectory": "none"}} {
		if r := s.call("fileSearch", args); !r.IsError || !strings.Contains(r.text(), want) {
			t.Errorf("%v: %s, want %q", args, r.raw, want)
		}
	}
}
