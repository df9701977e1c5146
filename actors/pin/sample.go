package pin

import (
	"encoding/json"

	"github.com/toolscript/toolscript"
)

// Sample is a poisoned text of the corpus of this package.
type Sample struct {
	Shape string `json:"shape"`
	Half  string `json:"half"`  // "tuned": the patterns were written for it; "held out": it was written after the patterns
	Where string `json:"where"` // description, name, property (its description) or enum
	Text  string `json:"text"`
}

// Tool returns a tool with the text in its place.
func (s Sample) Tool() toolscript.Tool {
	t := toolscript.Tool{Name: "tool", Description: "Does something."}
	schema := func(property map[string]any) {
		property["type"] = "string"
		t.InputSchema, _ = json.Marshal(map[string]any{"type": "object", "properties": map[string]any{"x": property}}) // strings always encode
	}
	switch s.Where {
	case "name":
		t.Name = s.Text
	case "property":
		schema(map[string]any{"description": s.Text})
	case "enum":
		schema(map[string]any{"enum": []string{s.Text}})
	default:
		t.Description = s.Text
	}
	return t
}
