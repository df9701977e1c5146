package actors_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
)

// skillOf returns a skill of server a with one file, whose text it returns, too.
func skillOf(t *testing.T, description, text string) (toolscript.Tool, string) {
	t.Helper()
	text = fmt.Sprintf("---\nname: notes\ndescription: %s\n---\n%s\n", description, text)
	sum := sha256.Sum256([]byte(text))
	const uri = "skill://notes/SKILL.md"
	entry, err := json.Marshal(map[string]any{
		"uri": uri, "frontmatter": map[string]string{"name": "notes", "description": description},
		"resources": []toolscript.SkillFile{{URI: uri, Digest: "sha256:" + hex.EncodeToString(sum[:]), Size: int64(len(text))}},
	})
	if err != nil {
		t.Fatal(err)
	}
	skill, err := toolscript.ParseSkill("a", entry)
	if err != nil {
		t.Fatal(err)
	}
	return skill, text
}

// TestPinOfSkill: a skill whose text has another digest is in quarantine until a person accepts it. A new skill
// is, too.
func TestPinOfSkill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, _ := skillOf(t, "Write notes", "Short.")
		second, text := skillOf(t, "Write notes", "Long.")
		p := startPinning(t, toolscript.PinsQuarantine, noPins(), nil, described("a", "list", "Lists."), first)
		p.conn.fetch = func(context.Context, toolscript.FetchRequest, func()) (json.RawMessage, error) {
			return json.Marshal(map[string]any{"contents": []any{map[string]any{"uri": second.Name, "text": text}}})
		}
		read := func() error {
			_, err := p.Fetch(t.Context(), toolscript.FetchRequest{ID: toolscript.ReadSkill, Server: "a", URI: second.Name})
			_, asResource := p.Fetch(t.Context(), toolscript.FetchRequest{ID: toolscript.ReadResource, Server: "a", URI: second.Name})
			if toolscript.KindOf(err) != toolscript.KindOf(asResource) {
				t.Errorf("as a skill: %v; as a resource: %v", err, asResource)
			}
			return err
		}
		p.conn.change(described("a", "list", "Lists."), second)
		synctest.Wait()
		if err := read(); toolscript.KindOf(err) != toolscript.Quarantined || len(p.Catalog().Skills()) != 0 {
			t.Errorf("the changed skill: %v, %v", err, p.Catalog().Skills())
		}
		changes := p.changes(t, "a")
		if len(changes) != 1 || !strings.Contains(changes[0].Diff, "digest") || changes[0].Tool != second.Name {
			t.Errorf("changes %+v", changes)
		}
		p.accept(t, "a", second.Name)
		if err := read(); err != nil || len(p.Catalog().Skills()) != 1 {
			t.Errorf("the accepted skill: %v, %v", err, p.Catalog().Skills())
		}
		time.Sleep(time.Second) // the pause between two lists
		other := second
		other.Name = "skill://more/notes/SKILL.md"
		p.conn.change(described("a", "list", "Lists."), second, other)
		synctest.Wait()
		if changes := p.changes(t, "a"); len(changes) != 1 || changes[0].Kind != toolscript.PinNew || len(p.Catalog().Skills()) != 1 {
			t.Errorf("a new skill: %+v, %v", changes, p.Catalog().Skills())
		}
	})
}

// TestVerifiedSkill: the answer has the verified text and nothing else, whichever of several members with
// one name another reader would take.
func TestVerifiedSkill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		skill, text := skillOf(t, "Write notes", "Short.")
		p := startPinning(t, toolscript.PinsWarn, noPins(), nil, skill)
		good, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		answer := `{"contents":[{"uri":"skill://notes/SKILL.md","text":"evil","text":"evil","Text":` + string(good) + `,"blob":"ZXZpbA==","more":"evil"}],"more":"evil"}`
		p.conn.fetch = func(context.Context, toolscript.FetchRequest, func()) (json.RawMessage, error) {
			return json.RawMessage(answer), nil
		}
		raw, err := p.Fetch(t.Context(), toolscript.FetchRequest{ID: toolscript.ReadSkill, Server: "a", URI: skill.Name})
		if err != nil || strings.Contains(string(raw), "evil") || strings.Contains(string(raw), "ZXZ") || !strings.Contains(string(raw), string(good)) {
			t.Errorf("%s, %v", raw, err)
		}
		answer = strings.ReplaceAll(answer, "Short.", "Shirt.")
		for _, id := range []string{toolscript.ReadSkill, toolscript.ReadResource} {
			if raw, err := p.Fetch(t.Context(), toolscript.FetchRequest{ID: id, Server: "a", URI: skill.Name}); toolscript.KindOf(err) != toolscript.InvalidResult || raw != nil {
				t.Errorf("other bytes, %s: %s, %v", id, raw, err)
			}
		}
	})
}
