package mcpclient

import (
	"slices"
	"strings"
	"testing"
)

// An answer that is nested too deeply fails its call at once. Other messages that are nested too
// deeply are skipped.
func TestFilterAnswersMessagesThatNestTooDeep(t *testing.T) {
	deep := strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001)
	for name, message := range map[string]string{
		"id in front": `{"jsonrpc":"2.0","id":7,"result":{"a":` + deep + `}}`,
		"id behind":   `{"result":{"a":` + deep + `},"jsonrpc":"2.0","id":7}`,
	} {
		if passed, _, refused, _ := filtered(t, message+"\n{\"next\":1}\n"); passed != "{\"next\":1}\n" || !slices.Equal(refused, []int64{7}) {
			t.Errorf("%s: passed %.100q, refused %d", name, passed, refused)
		}
	}
	for name, message := range map[string]string{
		"no call": `{"method":"notifications/message","params":` + deep + `}`,
		"letters": `{"id":7,"result":"` + strings.Repeat(`[{\"`, 20_000) + `"}`,
	} {
		passed, _, refused, _ := filtered(t, message+"\n{\"next\":1}\n")
		if refused != nil || !strings.HasSuffix("\n"+passed, "\n{\"next\":1}\n") {
			t.Errorf("%s: passed %.200q, refused %d", name, passed, refused)
		}
	}
}
