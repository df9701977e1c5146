package wire

import (
	"encoding/json"
	"fmt"

	"github.com/toolscript/toolscript"
)

// tool is a toolscript.Tool. The schemas are strings, because an encoder would change
// their bytes.
type tool struct {
	Name        string                 `json:"name"`
	Title       string                 `json:"title,omitempty"`
	Description string                 `json:"description,omitempty"`
	Input       string                 `json:"input"`
	Output      string                 `json:"output,omitempty"`
	Annotations toolscript.Annotations `json:"annotations"`
	Pages       bool                   `json:"pages,omitempty"`
	UI          *toolscript.UI         `json:"ui,omitempty"`
	Skill       string                 `json:"skill,omitempty"` // of a skill, which has no other members: its entry as MCP writes it
}

// EncodeTools encodes the tools and skills of a server.
func EncodeTools(tools []toolscript.Tool) ([]byte, error) {
	all := make([]tool, 0, len(tools))
	for _, t := range tools {
		if t.Skill != nil {
			entry, err := toolscript.PlainJSON(t.SkillEntry(nil))
			if err != nil {
				return nil, err
			}
			all = append(all, tool{Skill: string(entry)})
			continue
		}
		all = append(all, tool{t.Name, t.Title, t.Description, string(t.InputSchema), string(t.OutputSchema), t.Annotations, t.Pages, t.UI, ""})
	}
	return json.Marshal(all)
}

// DecodeTools reads the tools and skills of a server.
func DecodeTools(payload []byte, server string) ([]toolscript.Tool, error) {
	var all []tool
	if err := json.Unmarshal(payload, &all); err != nil {
		return nil, err
	}
	tools := make([]toolscript.Tool, 0, len(all))
	for _, t := range all {
		if t.Skill != "" {
			skill, err := toolscript.ParseSkill(server, json.RawMessage(t.Skill))
			if err != nil {
				return nil, fmt.Errorf("a skill cannot be read: %w", err)
			}
			tools = append(tools, skill)
			continue
		}
		if !json.Valid([]byte(t.Input)) || t.Output != "" && !json.Valid([]byte(t.Output)) {
			return nil, fmt.Errorf("the schemas of the tool %q are not JSON", t.Name)
		}
		decoded := toolscript.Tool{Server: server, Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: json.RawMessage(t.Input), Annotations: t.Annotations, Pages: t.Pages, UI: t.UI}
		if t.Output != "" {
			decoded.OutputSchema = json.RawMessage(t.Output)
		}
		tools = append(tools, decoded)
	}
	return tools, nil
}
