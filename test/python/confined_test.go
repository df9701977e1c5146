//go:build proof && linux

package python

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/toolscript/toolscript/runner/observed"
	"github.com/toolscript/toolscript/test/fixture/python"
	"github.com/toolscript/toolscript/test/harness"
)

// TestConfined: confine suggest computes a profile for each server, with which its script works.
func TestConfined(t *testing.T) {
	t.Parallel()
	if err := observed.Works(); err != nil {
		t.Skip(err)
	}
	for name, s := range servers(t, t.TempDir()) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reports(t, name, "confined", "ok")
			if s.alone != "" {
				s = withoutUVX(t, name, s)
				reports(t, name, "confined", "ok (without uvx)")
			}
			if s.page != "" {
				s.Confine = map[string]any{"net": []string{s.page}} // a host of this machine is not suggested
			}
			p := newProgram(t, map[string]server{name: s})
			suggest(t, p, name, s.script)
			g := start(t, p, "a")
			run(t, g, s)
			if c := states(t, g)[name].Confined; len(c) == 0 {
				t.Error("the server is not confined")
			}
		})
	}
}

// withoutUVX returns a server whose program is in a virtual environment.
func withoutUVX(t *testing.T, name string, s server) server {
	t.Helper()
	interpreter, err := python.Environment("locks/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	s.Command, s.Args = filepath.Join(filepath.Dir(interpreter), s.alone), s.Args[1:]
	s.Env = map[string]string{"PYTHONDONTWRITEBYTECODE": "1"}
	return s
}

// suggest has confine suggest write a profile, and checks that nothing of importance is refused with it.
func suggest(t *testing.T, p harness.Program, name, script string) {
	t.Helper()
	cmd := p.Command(t.Context(), "confine", "suggest", name, "-e", script, "--verify", "script", "--yes", "--json")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var suggested struct {
		Confine  json.RawMessage
		Verified struct {
			What, Error string
			Refused     []struct {
				What  string
				Minor bool
			}
		}
		Written bool
	}
	if err != nil || json.Unmarshal(out, &suggested) != nil {
		t.Fatalf("%v\n%s%s", err, out, stderr.String())
	}
	t.Logf("%s", suggested.Confine)
	if v := suggested.Verified; v.What != "script" || v.Error != "" || !suggested.Written {
		t.Errorf("%s\n%s", out, stderr.String())
	}
	for _, r := range suggested.Verified.Refused {
		if !r.Minor {
			t.Errorf("refused: %s", r.What)
		}
	}
}
