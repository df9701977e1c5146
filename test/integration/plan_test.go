//go:build integration && linux

package integration

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPlan plans a script that reads a real folder and writes to it: the planned calls have their
// arguments, and the file does not exist afterwards.
func TestPlan(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\ntwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	g := gateway(t, serversIn(dir))
	code := `
const text = await tools.filesystem.readTextFile({ path: dir + "/a.txt" });
const written = await tools.filesystem.writeFile({ path: dir + "/b.txt", content: text.content.toUpperCase() });
const { entities } = await tools.memory.createEntities({ entities: [{ name: "a", entityType: "letter", observations: [] }] });
for (const e of entities) await tools.memory.addObservations({ observations: [{ entityName: e.name, contents: ["x"] }] });
let refused = "";
try { await (tools.filesystem.writeFile as any)({ path: 1 }); } catch (e) { refused = e.code; }
return { content: typeof written.content, refused };`
	text, err := json.Marshal(dir)
	if err != nil {
		t.Fatal(err)
	}
	events, err := g.Exec(t.Context(), map[string]any{"code": "const dir = " + string(text) + ";" + code, "plan": true})
	if err != nil {
		t.Fatal(err)
	}
	end, err := json.Marshal(events[len(events)-1])
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		OK    bool
		Value json.RawMessage
		Plan  []struct {
			Tool string
			Args json.RawMessage
		}
	}
	if err := json.Unmarshal(end, &got); err != nil {
		t.Fatal(err)
	}
	if want := `{"content":"string","refused":"invalid"}`; !got.OK || string(got.Value) != want {
		t.Errorf("the run ended with %s, want the value %s", end, want)
	}
	var calls []string
	for _, c := range got.Plan {
		calls = append(calls, c.Tool+" "+strings.ReplaceAll(string(c.Args), dir, "DIR"))
	}
	want := []string{
		`filesystem__write_file {"content":"ONE\nTWO\n","path":"DIR/b.txt"}`,
		`memory__create_entities {"entities":[{"entityType":"letter","name":"a","observations":[]}]}`,
		`memory__add_observations {"observations":[{"contents":["x"],"entityName":""}]}`,
	}
	if strings.Join(calls, "\n") != strings.Join(want, "\n") {
		t.Errorf("planned\n%s\nwant\n%s", strings.Join(calls, "\n"), strings.Join(want, "\n"))
	}
	if _, err := os.Stat(filepath.Join(dir, "b.txt")); !os.IsNotExist(err) {
		t.Errorf("the planned file: %v, want that it does not exist", err)
	}
}
