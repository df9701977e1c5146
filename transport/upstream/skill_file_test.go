package upstream_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestVerifySkill: of a skill without digests, the size is bounded and the frontmatter is compared. An
// answer must have exactly the file that was asked for.
func TestVerifySkill(t *testing.T) {
	const uri = "skill://notes/SKILL.md"
	skill, err := toolscript.ParseSkill("docs", json.RawMessage(`{"uri":"`+uri+`","frontmatter":{"name":"notes","description":"d"},"resources":"dynamic"}`))
	if err != nil {
		t.Fatal(err)
	}
	file := func(uri, member, content string) string { return fmt.Sprintf(`{"uri":%q,%q:%q}`, uri, member, content) }
	head := "---\nname: notes\ndescription: d\n---\n"
	for name, tt := range map[string]struct{ uri, contents, want string }{
		"a text":                 {uri, file(uri, "text", head), ""},
		"bytes":                  {uri, file(uri, "blob", base64.StdEncoding.EncodeToString([]byte(head))), ""},
		"another file":           {"skill://notes/a", file("skill://notes/a", "text", "x"), ""},
		"as long as allowed":     {"skill://notes/a", file("skill://notes/a", "text", strings.Repeat("x", toolscript.MaxSkillBytes)), ""},
		"too long":               {"skill://notes/a", file("skill://notes/a", "text", strings.Repeat("x", toolscript.MaxSkillBytes+1)), "it has 16777217 bytes, and the limit is 16777216"},
		"another description":    {uri, file(uri, "text", "---\nname: notes\ndescription: e\n---\n"), `the field "description" differs`},
		"two files":              {uri, file(uri, "text", head) + "," + file("skill://notes/a", "text", "x"), "the server answered with 2 files"},
		"no file":                {uri, "", "the server answered with 0 files"},
		"the file of another":    {uri, file("skill://others/SKILL.md", "text", head), `the server answered with the file "skill://others/SKILL.md"`},
		"without content":        {uri, `{"uri":"` + uri + `"}`, "the server answered without its content"},
		"bytes that are no text": {uri, file(uri, "blob", "?"), "illegal base64"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := upstream.VerifySkill(t.Context(), nil, skill, toolscript.FetchRequest{Server: "docs", URI: tt.uri}, json.RawMessage(`{"contents":[`+tt.contents+`]}`))
			switch {
			case tt.want == "" && (err != nil || got.URI != tt.uri || !json.Valid(got.Answer)):
				t.Errorf("%+v, %v", got, err)
			case tt.want != "" && (toolscript.KindOf(err) != toolscript.InvalidResult || !strings.Contains(err.Error(), tt.want) || got.Answer != nil):
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}
