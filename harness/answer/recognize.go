package answer

import (
	"fmt"
	"slices"
)

// signs maps the types of items and content parts that exist in only one API to that API.
var signs = map[string]API{
	"function_call": Responses, "function_call_output": Responses, "reasoning": Responses, "output_text": Responses, "input_text": Responses,
	"function": Chat, "image_url": Chat,
	"tool_use": Messages, "tool_result": Messages, "thinking": Messages, "redacted_thinking": Messages,
}

// recognize returns the API of the items or messages.
func recognize(values []object) (API, error) {
	var found []API
	note := func(api API) {
		if api != "" && !slices.Contains(found, api) {
			found = append(found, api)
		}
	}
	for _, v := range values {
		for _, api := range apisOf(v) {
			note(api)
		}
	}
	switch {
	case len(found) > 1:
		return "", fmt.Errorf("the answer has parts of the APIs %s and %s: name one with --api", found[0], found[1])
	case len(found) == 1:
		return found[0], nil
	}
	for _, v := range values { // without a sign: content is a list in the Messages API, and a string in Chat Completions
		if v["role"] != nil && objects(v["content"]) != nil {
			return Messages, nil
		}
		if v["role"] != nil {
			return Chat, nil
		}
	}
	return "", fmt.Errorf("no item or message of a known API was found: name the API with --api (%s, %s or %s)", Responses, Chat, Messages)
}

// apisOf returns the APIs that parts of an item or message point to.
func apisOf(v object) []API {
	apis := []API{signs[v.text("type")]}
	if v["tool_calls"] != nil || v["tool_call_id"] != nil {
		apis = append(apis, Chat)
	}
	if v["stop_reason"] != nil {
		apis = append(apis, Messages)
	}
	for _, part := range v.list("content") {
		apis = append(apis, signs[part.text("type")])
	}
	return apis
}
