package mcpclient

import (
	"encoding/json"
	"strings"
	"testing"
)

// An answer that is nested too deeply fails its call at once. Any other such message
// is skipped.
func TestFilterAnswersMessagesThatNestTooDeep(t *testing.T) {
	deep := strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001)
	for name, message := range map[string]string{
		"id in front": `{"jsonrpc":"2.0","id":"toolscript-7","result":{"a":` + deep + `}}`,
		"id behind":   `{"result":{"a":` + deep + `},"jsonrpc":"2.0","id":"toolscript-7"}`,
	} {
		passed, _, refused, _ := filtered(t, message+"\n{\"next\":1}\n")
		lines := strings.Split(strings.TrimSuffix(passed, "\n"), "\n")
		if len(lines) != 2 || lines[1] != `{"next":1}` || refused != nil {
			t.Fatalf("%s: %d lines, refused %q", name, len(lines), refused)
		}
		var answer struct {
			ID    string
			Error struct{ Message string }
		}
		if err := json.Unmarshal([]byte(lines[0]), &answer); err != nil || answer.ID != "toolscript-7" || !strings.Contains(answer.Error.Message, "deeper than 10000 levels") {
			t.Errorf("%s: answer %s: %v", name, lines[0], err)
		}
	}
	for name, message := range map[string]string{
		"no call": `{"method":"notifications/message","params":` + deep + `}`,
		"letters": `{"id":"toolscript-7","result":"` + strings.Repeat(`[{\"`, 20_000) + `"}`,
	} {
		passed, _, _, _ := filtered(t, message+"\n{\"next\":1}\n")
		if strings.Contains(passed, "levels") || !strings.HasSuffix("\n"+passed, "\n{\"next\":1}\n") {
			t.Errorf("%s: passed %.200q", name, passed)
		}
	}
}
