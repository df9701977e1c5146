package mcp

import (
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
)

// The schemas are written by hand, because every model reads them and each word counts.
var (
	searchTool = define("search_tools", "Search tools",
		"Find tools of all connected MCP servers by meaning or name. Returns their call names for run_script.",
		`{"type":"object","properties":{"query":{"type":"string","description":"What the tool should do"},`+
			`"limit":{"type":"integer","minimum":1,"maximum":20,"default":5}},"required":["query"],"additionalProperties":false}`,
		mcp.ToolAnnotation{ReadOnlyHint: yes, DestructiveHint: no, IdempotentHint: yes, OpenWorldHint: no})

	describeTool = define("describe_tools", "Describe tools",
		"TypeScript types of tools: their parameters and results. Use it before run_script.",
		`{"type":"object","properties":{"names":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":20,`+
			`"description":"Names from search_tools, such as github.createIssue, or store"}},"required":["names"],"additionalProperties":false}`,
		mcp.ToolAnnotation{ReadOnlyHint: yes, DestructiveHint: no, IdempotentHint: yes, OpenWorldHint: no})

	runTool = define("run_script", "Run a script",
		"Run TypeScript that calls tools: `const r = await tools.server.tool({...}); return r.items.length`. "+
			"The script is type-checked first and has no network or files. `store` keeps values for later scripts. "+
			"Returns its value and its console output.",
		`{"type":"object","properties":{"code":{"type":"string","description":"The body of an async function"},`+
			`"timeout":{"type":"number","exclusiveMinimum":0,"maximum":3600,"description":"Seconds; default 30"},`+
			`"needs":{"type":"array","items":{"type":"string"},"description":"Run nothing unless these tools can be called"},`+
			`"maxTokens":{"type":"integer","minimum":1,"maximum":100000,"description":"Of the value, and of the output; default 5000"},`+
			`"wait":{"type":"string","description":"Such as 10s; then the script runs on, and its run is returned"},`+
			`"run":{"type":"string","description":"Wait for this run, without code"},`+
			`"abort":{"type":"boolean","description":"End run"},`+
			`"from":{"type":"integer","minimum":0,"description":"Read the value of run from this byte of its JSON on"}},"additionalProperties":false}`,
		mcp.ToolAnnotation{ReadOnlyHint: no, DestructiveHint: yes, IdempotentHint: no, OpenWorldHint: yes})
)

var yes, no = new(true), new(false)

// loadedAtOnce makes Claude Code give a tool to the model at once. By default it defers the
// tools of MCP servers, so that the model would have to search for search_tools.
var loadedAtOnce = &mcp.Meta{AdditionalFields: map[string]any{"anthropic/alwaysLoad": true}}

func define(name, title, description, input string, hints mcp.ToolAnnotation) mcp.Tool {
	tool := mcp.NewToolWithRawSchema(name, description, json.RawMessage(input))
	tool.Title, tool.Annotations, tool.Meta = title, hints, loadedAtOnce
	return tool
}
