package builtin

import (
	"context"
	"errors"
	"strings"

	"github.com/toolscript/toolscript/transport/builtin/tool"
)

// UpdatePlan is the tool updatePlan.
var UpdatePlan = tool.Tool{
	Name:        "updatePlan",
	Title:       "Show the plan",
	Description: "Show the steps of the current task and how far they are. At most one step is in progress. Each call replaces the plan.",
	Input: `{"type": "object", "required": ["plan"], "additionalProperties": false, "properties": {
		"explanation": {"type": "string", "description": "why the plan has changed"},
		"plan": {"type": "array", "maxItems": 1000, "items": {"type": "object", "required": ["step", "status"], "additionalProperties": false, "properties": {
			"step": {"type": "string", "minLength": 1},
			"status": {"enum": ["pending", "in_progress", "completed"]}}}}}}`,
	Output:      tool.ContentSchema("the plan as text, a line for each step: [x] completed, [>] in progress, [ ] pending"),
	Annotations: tool.Reads(),
	Run:         tool.Func(updatePlan),
}

type planArguments struct {
	Explanation string `json:"explanation"`
	Plan        []step `json:"plan"`
}

type step struct {
	Step   string `json:"step"`
	Status string `json:"status"`
}

var marks = map[string]string{"completed": "[x] ", "in_progress": "[>] ", "pending": "[ ] "}

func updatePlan(_ context.Context, _ *tool.Workspace, args planArguments) (tool.Content, error) {
	var lines []string
	if text := oneLine(args.Explanation); text != "" {
		lines = append(lines, text)
	}
	current := 0
	for _, s := range args.Plan {
		if s.Status == "in_progress" {
			current++
		}
		lines = append(lines, marks[s.Status]+oneLine(s.Step))
	}
	if current > 1 {
		return tool.Content{}, errors.New("at most one step can be in_progress at a time")
	}
	return tool.Content{Content: strings.Join(lines, "\n"), Success: true}, nil
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
