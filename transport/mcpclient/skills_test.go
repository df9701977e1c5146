package mcpclient_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/upstream"
)

// skills returns the skills of a list.
func skills(all []toolscript.Tool) []toolscript.Tool {
	return slices.DeleteFunc(slices.Clone(all), func(t toolscript.Tool) bool { return t.Skill == nil })
}

// TestHostileSkills: the client leaves out a skill that breaks a rule, with a reason, and stops reading an endless
// list of skills. In each case it lists the tools.
func TestHostileSkills(t *testing.T) {
	for fault, want := range map[string]struct {
		skills int
		warned []string
	}{
		"hostile": {2, []string{"is not in its folder", "is listed twice", "more than 16 MB", "has 601 files", "has no SKILL.md", "is not a SHA-256", `is not that of its folder, "a"`, "frontmatter has 70032 bytes", "small letters"}},
		"many":    {1000, []string{"the list is too long; what follows the first 1000 skills is left out"}},
		"endless": {0, []string{"the pages do not end"}},
		"refused": {0, []string{"the skills are not known: srv: no skills today"}},
	} {
		t.Run(fault, func(t *testing.T) {
			all, warned := list(t, "skills="+fault)
			if got := skills(all); len(got) != want.skills || len(all)-len(got) < 20 {
				t.Errorf("%d skills and %d tools", len(got), len(all)-len(got))
			}
			for _, text := range want.warned {
				if !strings.Contains(warned, text) {
					t.Errorf("no warning %q in\n%s", text, warned)
				}
			}
		})
	}
}

// TestSkillsChange: with and without a handshake, a server announces a change of its list of resources. Then the
// client lists the new skills.
func TestSkillsChange(t *testing.T) {
	for _, generation := range []string{"polite", "modern"} {
		t.Run(generation, func(t *testing.T) {
			folder, changed := t.TempDir(), make(chan struct{}, 8)
			write := func(name string) {
				file := filepath.Join(folder, name, "SKILL.md")
				if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte("---\nname: "+name+"\ndescription: d\n---\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write("one")
			c := dial(t, config(t, "skills="+folder, "asks", generation), upstream.Events{ToolsChanged: func() { changed <- struct{}{} }})
			all, err := c.ListTools(kit.Within(t))
			if err != nil || len(skills(all)) != 1 || skills(all)[0].Title != "one" {
				t.Fatalf("%v, %v", skills(all), err)
			}
			write("two")
			text(t, c, "tell", `{"method":"notifications/resources/list_changed"}`)
			select {
			case <-changed:
			case <-kit.Within(t).Done():
				t.Fatal("the change was not noticed")
			}
			if all, err = c.ListTools(kit.Within(t)); err != nil || len(skills(all)) != 2 {
				t.Errorf("%v, %v", skills(all), err)
			}
		})
	}
}
