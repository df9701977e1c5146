//go:build integration && linux

package plugin_test

import (
	"slices"
	"testing"
)

// TestPermissions checks that the client runs the safe commands without asking, and denies the others,
// because no user is present to approve them.
func TestPermissions(t *testing.T) {
	allowed := []string{
		"toolscript search 'echo a message' --output types",
		"toolscript exec 'return `${1}`'",
		"toolscript exec - <<'TS'\nreturn `${1}`;\nTS",
		"toolscript exec -e 'return 1' 2>/dev/null",
		"echo 'return 1' | toolscript exec -",
		"printf '%s' 'return 1' | toolscript exec - | head -n 1",
		"toolscript list-servers --json | jq -c 'length' | wc -l",
		"toolscript list-tools && toolscript exec 'return 1'; toolscript list-servers",
		"toolscript script.ts",
		"toolscript exec 'return 1' --out value.json",
	}
	denied := []string{
		"toolscript trust --yes",
		"toolscript auth everything",
		"toolscript gateway start",
		"toolscript exec 'return 1' --trust",
		"toolscript exec 'return 1' --config evil.json",
		"toolscript exec 'return 1' --data-dir data",
		"toolscript exec 'return 1' --out ../value.json",
		"toolscript exec 'return 1' -g http://example.com/",
		"toolscript exec \"$CODE\"",
		"toolscript exec \"$(cat script.ts)\"",
		"toolscript exec - <<TS\nreturn `id`;\nTS",
		"toolscript exec 'return 1' > out.txt",
		"FOO=1 toolscript exec 'return 1'",
		"toolscript exec 'return 1' && touch touched",
		"./toolscript exec 'return 1'",
	}
	w := newWorld(t, map[string]string{"home/.toolscript.json": everything, "project/script.ts": "return 1"})
	for _, command := range slices.Concat(allowed, denied) {
		w.model.then(bash(command))
	}
	w.model.then(say("done"))
	s := w.start(t, pluginDir(t)...)
	r := s.prompt(t, "go")
	if r.Result != "done" {
		t.Fatalf("result = %+v", r)
	}
	var got []string
	for _, d := range r.Denials {
		got = append(got, d.Input.Command)
	}
	for _, command := range allowed {
		if slices.Contains(got, command) {
			t.Errorf("denied: %s", command)
		}
	}
	for _, command := range denied {
		if !slices.Contains(got, command) {
			t.Errorf("allowed: %s", command)
		}
	}
	for i, result := range w.model.results(t)[:len(allowed)] {
		if result.error {
			t.Errorf("%s: %s", allowed[i], result.text)
		}
	}
	s.end(t)
}

// TestAutoAllowOff checks that the user's configuration can disable the automatic approval.
func TestAutoAllowOff(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	w := newWorld(t, map[string]string{"home/.toolscript.json": `{"mcpServers": {}, "plugin": {"autoAllow": false}}`},
		bash("toolscript exec 'return 1'"), say("done"))
	s := w.start(t, pluginDir(t)...)
	if r := s.prompt(t, "go"); len(r.Denials) != 1 {
		t.Errorf("result = %+v, want one denied call", r)
	}
	s.end(t)
}
