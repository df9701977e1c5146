package toolscript_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/toolscript/toolscript"
)

func TestHasSkillFile(t *testing.T) {
	const skill = "skill://acme/notes/SKILL.md"
	for uri, want := range map[string]bool{
		skill: true, "skill://acme/notes/a.md": true, "skill://acme/notes/a/b%20c.md": true, "skill://acme/notes/ä.md": true,
		"skill://acme/notes": false, "skill://acme/notes/": false, "skill://acme/notesandmore/a": false, "skill://acme/other/a": false,
		"skill://acme/notes/../other/a": false, "skill://acme/notes/./a": false, "skill://acme/notes//a": false, "skill://acme/notes/a/..": false,
		"skill://acme/notes/%2e%2e/a": false, "skill://acme/notes/%2E./a": false, "skill://acme/notes/a%2f..%2fb": false, `skill://acme/notes/..\a`: false,
		"skill://acme/notes/a%5cb": false, "skill://acme/notes/a?x": false, "skill://acme/notes/a#x": false, "skill://acme/notes/%zz": false,
		"skill://acme/notes/a\x1b[31m": false, "skill://acme/notes/a\u202eb": false, "skill://acme/notes/a%00": false, "skill://acme/notes/\xff": false,
		"other://acme/notes/a.md": false,
	} {
		if got := toolscript.HasSkillFile(skill, uri); got != want {
			t.Errorf("%q: %t, want %t", uri, got, want)
		}
	}
}

// TestSkillsInTheCatalog: a skill is not among the tools, and filters select it by its server, its URI or its name.
func TestSkillsInTheCatalog(t *testing.T) {
	skill, err := toolscript.ParseSkill("docs", json.RawMessage(`{"uri":"skill://acme/notes/SKILL.md","frontmatter":{"name":"notes","description":"d"},"resources":"dynamic"}`))
	if err != nil {
		t.Fatal(err)
	}
	c := toolscript.NewCatalog(1, []string{"docs"}, []toolscript.Tool{skill, {Server: "docs", Name: "read"}, skill})
	if _, is := c.Lookup(skill.ID()); is || c.Len() != 1 || len(c.Tools()) != 1 || len(c.Skills()) != 1 || len(c.Listed()) != 2 {
		t.Errorf("tools %v, skills %v", c.Tools(), c.Skills())
	}
	for entry, want := range map[string]int{
		"docs": 1, "docs__notes": 1, "docs__no*": 1, "docs__skill://acme/notes/SKILL.md": 1, "docs__skill://acme/*": 1, "*": 1,
		"docs__read": 0, "notes": 0, "other": 0,
	} {
		f := toolscript.Filter{entry}
		if got := len(c.Filter(f).Skills()); got != want || f.Match(skill) != (want > 0) {
			t.Errorf("%q selects %d skills, and matches %t", entry, got, f.Match(skill))
		}
	}
	entry, err := json.Marshal(skill.SkillEntry(nil))
	again, wrong := toolscript.ParseSkill("docs", entry)
	if err != nil || wrong != nil || again.Name != skill.Name || !slices.Equal(again.Skill.Files, skill.Skill.Files) {
		t.Errorf("%s: %+v, %v %v", entry, again, err, wrong)
	}
}
