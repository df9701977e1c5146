//go:build integration && linux

package integration

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// gotSkills is what skills_client.mjs prints.
type gotSkills struct {
	Announced map[string]any
	Skills    []struct {
		URI       string
		Resources []struct {
			URI, Digest string
			Size        int
		}
	}
	Read    map[string]string // texts, or errors, by URI
	Unknown int
	Found   []struct{ Name, Server, URI string }
}

// TestSkillsOfTheSDK has a client of the official SDK list and read skills of two servers that are made
// with it, at `toolscript mcp` and at /mcp. The skills have one URI at both servers. A saved script is a
// skill, too. A file with other bytes than its digest says is refused.
func TestSkillsOfTheSDK(t *testing.T) {
	for _, entrance := range entrances {
		t.Run(entrance, func(t *testing.T) {
			got := skillsAt(t, entrance, `{"mcpServers": {"one": {"command": %[1]q, "args": [%[2]q]}, "two": {"command": %[1]q, "args": [%[2]q, "forged"]}}}`, true)
			if got.Announced["io.modelcontextprotocol/skills"] == nil || got.Unknown != -32602 || len(got.Skills) != 3 {
				t.Fatalf("got %+v", got)
			}
			for _, s := range got.Skills {
				for _, f := range s.Resources {
					text := got.Read[f.URI]
					sum := sha256.Sum256([]byte(text))
					same := f.Digest == "sha256:"+hex.EncodeToString(sum[:]) && f.Size == len(text)
					if forged := f.URI == "skill://two/release-notes/references/style.md"; same == forged || forged && !strings.Contains(text, "its digest is not the one that the server has listed") {
						t.Errorf("%s: %q", f.URI, text)
					}
				}
			}
			if text := got.Read["skill://$scripts/weekly-report/SKILL.md"]; !strings.Contains(text, "tools.$scripts.weeklyReport()") {
				t.Errorf("the saved script: %q in %v", text, got.Read)
			}
			if len(got.Found) != 2 || got.Found[0].Name != "release-notes" || got.Found[0].URI != "skill://"+got.Found[0].Server+"/release-notes/SKILL.md" {
				t.Errorf("found %+v", got.Found)
			}
		})
	}
}

// TestNoSkills: without a skill, the extension is not announced, and its lists are empty.
func TestNoSkills(t *testing.T) {
	got := skillsAt(t, "http", servers(t), false)
	if got.Announced["io.modelcontextprotocol/skills"] != nil || len(got.Skills)+len(got.Found) != 0 || got.Announced["io.modelcontextprotocol/tasks"] == nil {
		t.Errorf("got %+v", got)
	}
}

// skillsAt returns what the client gets at an entrance. The configuration has the program node and the
// server as %[1]q and %[2]q.
func skillsAt(t *testing.T, entrance, config string, script bool) (got gotSkills) {
	t.Helper()
	p := program(t)
	server, err := filepath.Abs("skills_server.mjs")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(config, "%") {
		config = fmt.Sprintf(config, node(), server)
	}
	path := p.Configured(t, config)
	if script {
		folder := filepath.Join(filepath.Dir(path), ".toolscript", "scripts")
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "weeklyReport.ts"), []byte("/** Reports the week. */\nexport default () => 1;\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	atEntrance(t, entrance, "skills_client.mjs", p, path, &got)
	return got
}
