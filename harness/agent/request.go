package agent

import "encoding/json"

// Request is a conversation.
type Request struct {
	System string            // instructions; "" for none
	Items  []json.RawMessage // the history in the form of the API: messages, or input items of Responses
	Tools  []Tool            // tools for structured calls
}

// Tool is a tool that the model may call with a structured call.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON Schema of the arguments
}

// UserText returns a message of the user with a text. Its form is the same in all three APIs.
func UserText(text string) json.RawMessage {
	item, _ := json.Marshal(map[string]string{"role": "user", "content": text}) // encoding strings never fails
	return item
}

// body returns the body of a request.
func (c *Client) body(r Request) map[string]any {
	body := map[string]any{"model": c.options.Model}
	switch c.options.API {
	case Responses:
		body["input"], body["max_output_tokens"], body["store"] = r.Items, c.options.MaxTokens, false
		if r.System != "" {
			body["instructions"] = r.System
		}
	case Chat:
		items := r.Items
		if r.System != "" {
			system, _ := json.Marshal(map[string]string{"role": "system", "content": r.System}) // encoding strings never fails
			items = append([]json.RawMessage{system}, items...)
		}
		body["messages"], body["max_tokens"] = items, c.options.MaxTokens
	case Messages:
		body["messages"], body["max_tokens"] = r.Items, c.options.MaxTokens
		if r.System != "" {
			body["system"] = r.System
		}
	}
	var tools []any
	for _, t := range r.Tools {
		tools = append(tools, c.tool(t))
	}
	if tools != nil {
		body["tools"] = tools
	}
	return body
}

func (c *Client) tool(t Tool) any {
	schema := t.Schema
	if len(schema) == 0 {
		schema = json.RawMessage(`{"type":"object"}`)
	}
	function := map[string]any{"name": t.Name, "description": t.Description, "parameters": schema}
	switch c.options.API {
	case Responses:
		function["type"] = "function"
		return function
	case Chat:
		return map[string]any{"type": "function", "function": function}
	default:
		return map[string]any{"name": t.Name, "description": t.Description, "input_schema": schema}
	}
}
