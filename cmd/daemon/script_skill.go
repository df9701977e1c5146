package daemon

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/texts"
)

// maxSkillDescription is the maximum length of the description of a skill, in bytes.
const maxSkillDescription = 1024

// scriptSkill describes a saved script as a skill, and returns the text of its SKILL.md. It returns
// false if its name is too long for a skill.
func scriptSkill(script toolscript.Tool) (skill toolscript.Tool, text string, ok bool) {
	head := map[string]string{"name": skillName(script.Name), "description": texts.Cut(strings.Join(strings.Fields(script.Description), " "), maxSkillDescription)}
	description, _ := toolscript.PlainJSON(head["description"]) // a text always has a JSON form, which is also YAML
	var b strings.Builder
	fmt.Fprintf(&b, "---\nname: %s\ndescription: %s\n---\n\n# %s\n\n%s\n\n", head["name"], description, script.Name, strings.TrimSpace(script.Description))
	fmt.Fprintf(&b, "This saved script is a function of the server `%s`. A script of toolscript calls it:\n\n```typescript\nreturn await tools.%[1]s.%s(%s)\n```\n",
		toolscript.ScriptsServer, script.Name, exampleOf(script.InputSchema))
	schema(&b, "Its parameter, as a JSON Schema", script.InputSchema)
	schema(&b, "Its value, as a JSON Schema", script.OutputSchema)
	text = b.String()
	sum := sha256.Sum256([]byte(text))
	uri := "skill://" + head["name"] + "/SKILL.md"
	entry, _ := toolscript.PlainJSON(map[string]any{ // it has only texts and a number
		"uri": uri, "frontmatter": head,
		"resources": []toolscript.SkillFile{{URI: uri, Digest: "sha256:" + hex.EncodeToString(sum[:]), Size: int64(len(text))}},
	})
	skill, err := toolscript.ParseSkill(script.Server, entry)
	return skill, text, err == nil
}

// skillName returns the name of a script as the format of skills has it: weekly-report for
// weeklyReport. Two scripts never get the same name.
func skillName(script string) string {
	var b strings.Builder
	for _, r := range script {
		if unicode.IsUpper(r) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// exampleOf returns the argument of a call with the required parameters, without their values.
func exampleOf(schema json.RawMessage) string {
	var s struct{ Required []string }
	if json.Unmarshal(schema, &s) != nil || len(s.Required) == 0 {
		return ""
	}
	return "{ " + strings.Join(s.Required, ": …, ") + ": … }"
}

func schema(b *strings.Builder, title string, schema json.RawMessage) {
	var text bytes.Buffer
	if len(schema) > 0 && json.Indent(&text, schema, "", "  ") == nil {
		fmt.Fprintf(b, "\n%s:\n\n```json\n%s\n```\n", title, text.String())
	}
}
