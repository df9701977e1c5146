package confine_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/cmd/confine"
	"github.com/toolscript/toolscript/runner/observed"
)

// suggest returns the suggested profile as JSON, and the sensitive problems.
func suggest(t *testing.T, r *observed.Record, s confine.Scene, before confine.Profile) (profile string, sensitive []string) {
	t.Helper()
	got := confine.Suggest(r, s, before)
	text, err := json.Marshal(got.Profile)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range got.Problems {
		if p.Sensitive {
			sensitive = append(sensitive, p.What)
			if p.Why == "" || p.Count == 0 && !strings.HasPrefix(p.What, "may ") {
				t.Errorf("%+v", p)
			}
		}
	}
	return string(text), sensitive
}

// TestObeyed: files that other programs run or obey are not suggested for writing.
func TestObeyed(t *testing.T) {
	const app = "/home/u/src/app/"
	for _, path := range []string{
		"/home/u/.toolscript.json", "/home/u/.bashrc", "/home/u/.zprofile", "/home/u/.config/autostart/x.desktop", "/home/u/.config/systemd/user/x.service",
		"/home/u/.config/fish/config.fish", "/home/u/.config/git/config", "/home/u/.local/bin/x", "/home/u/bin/x", "/home/u/.local/share/applications/x.desktop",
		"/home/u/.gitconfig", "/home/u/.ssh/authorized_keys", "/home/u/.npmrc", "/home/u/Library/LaunchAgents/x.plist", "/etc/profile.d/x.sh", "/usr/local/bin/x",
		app + ".git/hooks/pre-commit", app + ".git/config", app + ".git/modules/x/hooks/y", app + ".envrc", app + ".vscode/tasks.json", app + ".claude/settings.json",
		app + ".mcp.json", app + ".toolscript.json", app + ".toolscript/x", "/srv/other/.toolscript.json", "/srv/x/.git/hooks/y",
	} {
		for _, how := range []observed.Use{observed.Write, observed.Change} {
			profile, sensitive := suggest(t, record(use{path, how}), scene(), confine.Profile{})
			if shown := strings.Replace(path, "/home/u/", "~/", 1); profile != `{"net":false}` || !slices.Equal(sensitive, []string{"writes " + shown}) {
				t.Errorf("%s: profile %s, sensitive %q", path, profile, sensitive)
			}
		}
	}
	if profile, sensitive := suggest(t, record(use{"/home/u/.bashrc", observed.Read}), scene(), confine.Profile{}); profile != `{"read":["~/.bashrc"],"net":false}` || len(sensitive) > 0 {
		t.Errorf("read only: %s, %q", profile, sensitive)
	}
}

// TestObeyedInProject: the folder of a project may be suggested for writing, with a warning.
func TestObeyedInProject(t *testing.T) {
	const app = "/home/u/src/app"
	s := scene(app+"/.git", app+"/.git/hooks", app+"/.vscode")
	profile, sensitive := suggest(t, record(use{app + "/a", observed.Change}, use{app + "/.envrc", observed.Change}), s, confine.Profile{})
	if want := []string{"writes ~/src/app/.envrc", "may write ~/src/app/.git/hooks", "may write ~/src/app/.vscode"}; profile != `"project"` || !slices.Equal(sensitive, want) {
		t.Errorf("profile %s, sensitive %q, want %q", profile, sensitive, want)
	}
	_, sensitive = suggest(t, record(use{app + "/.git/index.lock", observed.Change}), s, confine.Profile{})
	if want := []string{"may write ~/src/app/.git/hooks"}; !slices.Equal(sensitive, want) {
		t.Errorf("sensitive of .git %q, want %q", sensitive, want)
	}
}

// TestHosts: hosts on this machine and in the local network are not suggested.
func TestHosts(t *testing.T) {
	r := record()
	for _, target := range []string{"169.254.169.254:80", "localhost:2375", "[::1]:80", "10.0.0.1:22", "metadata.google.internal:80", "nas:80", "api.example.com:443"} {
		r.Act(observed.Proxied, target)
	}
	profile, sensitive := suggest(t, r, scene(), confine.Profile{})
	want := []string{"connects to 10.0.0.1:22", "connects to 169.254.169.254:80", "connects to [::1]:80", "connects to localhost:2375", "connects to metadata.google.internal:80", "connects to nas:80"}
	if profile != `{"net":["api.example.com:443"]}` || !slices.Equal(sensitive, want) {
		t.Errorf("profile %s, sensitive %q, want %q", profile, sensitive, want)
	}
	before := confine.Profile{Net: []string{"localhost:2375"}}
	again := record()
	again.Act(observed.Proxied, "localhost:2375")
	if profile, sensitive := suggest(t, again, scene(), before); profile != `{"net":["localhost:2375"]}` || len(sensitive) > 0 {
		t.Errorf("kept: %s, %q", profile, sensitive)
	}
}
