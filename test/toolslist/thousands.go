package toolslist

import (
	"encoding/json"
	"fmt"

	"github.com/toolscript/toolscript"
)

// Typical is a schema like those of real tools; a tool with it has 1.5 KB.
const Typical = `{"type": "object", "required": ["owner", "filter"], "properties": {
	"owner": {"type": "string", "description": "The account owner of the repository. The name is not case sensitive.", "minLength": 1},
	"state": {"type": "string", "enum": ["open", "closed", "merged", "all"], "default": "open", "description": "Filter by the state of the thing"},
	"labels": {"type": "array", "items": {"type": "string", "description": "A label"}, "description": "Labels that a thing must have"},
	"page": {"type": "integer", "minimum": 1, "default": 1, "description": "Page number for pagination (min 1)"},
	"perPage": {"type": "integer", "minimum": 1, "maximum": 100, "description": "Results per page for pagination (min 1, max 100)"},
	"filter": {"type": "object", "additionalProperties": false, "properties": {
		"since": {"type": "string", "format": "date-time", "description": "Only show results that were last updated after the given time"},
		"until": {"type": "string", "format": "date-time"},
		"assignee": {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "Who it is assigned to"},
		"size": {"$ref": "#/$defs/range"}, "age": {"$ref": "#/$defs/range"}}}},
	"$defs": {"range": {"type": "object", "properties": {"from": {"type": "number"}, "to": {"type": "number"}}, "required": ["from"], "description": "A range of numbers, with its lower bound included"}}}`

// Thousands returns the tools of 20 servers with 100 tools each. version changes the tools of one server.
func Thousands(version int) []toolscript.Tool {
	var tools []toolscript.Tool
	for server := range 20 {
		for tool := range 100 {
			description := fmt.Sprintf("Finds things of kind %d.", tool)
			if server == 7 {
				description += fmt.Sprintf(" Version %d.", version)
			}
			tools = append(tools, toolscript.Tool{
				Server: fmt.Sprintf("server-%d", server), Name: fmt.Sprintf("find_thing_%d", tool),
				Description: description, InputSchema: json.RawMessage(Typical),
			})
		}
	}
	return tools
}
