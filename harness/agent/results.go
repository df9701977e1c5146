package agent

import (
	"encoding/json"
)

// Results converts items of package harness to the items that must follow the answer in a
// conversation of the API. It puts the outputs of scripts into a user message, and keeps the
// outputs of structured calls in the form of the API. The result is empty if there are neither.
func Results(api API, items []json.RawMessage) []json.RawMessage {
	var calls, texts []json.RawMessage
	for _, item := range items {
		var head struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(item, &head) != nil {
			continue
		}
		switch head.Type {
		case "ScriptToolCallOutput":
			texts = append(texts, scriptOutput(item))
		case "function_call_output", "tool_result":
			calls = append(calls, item)
		case "tool":
			calls = append(calls, withoutType(item))
		}
	}
	switch {
	case api == Messages && len(calls)+len(texts) > 0:
		return []json.RawMessage{userContent(append(calls, texts...))}
	case len(texts) > 0:
		return append(calls, userTexts(api, texts))
	}
	return calls
}

// scriptOutput returns a text block with the output of a script. The result of a tool cannot end
// the block, because json.Marshal writes < as \u003c.
func scriptOutput(item json.RawMessage) json.RawMessage {
	var escaped []byte
	if text, err := json.Marshal(item); err == nil {
		escaped = text
	}
	return marshal(map[string]string{"type": "text", "text": "<tool-calls-output>\n" + string(escaped) + "\n</tool-calls-output>"})
}

// userTexts returns a user message with the text blocks.
func userTexts(api API, blocks []json.RawMessage) json.RawMessage {
	if api == Chat {
		return userContent(blocks)
	}
	var content []json.RawMessage
	for _, b := range blocks {
		var block map[string]string
		if json.Unmarshal(b, &block) == nil {
			block["type"] = "input_text"
			content = append(content, marshal(block))
		}
	}
	return userContent(content)
}

func userContent(content []json.RawMessage) json.RawMessage {
	return marshal(map[string]any{"role": "user", "content": content})
}

// withoutType removes the member "type" of a tool message, which is not a field of the API.
func withoutType(item json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(item, &fields) != nil {
		return item
	}
	delete(fields, "type")
	return marshal(fields)
}

// marshal encodes a value whose encoding cannot fail.
func marshal(v any) json.RawMessage {
	text, _ := json.Marshal(v)
	return text
}
