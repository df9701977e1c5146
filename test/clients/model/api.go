package model

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
)

// apis are the supported APIs of models, recognized by the ends of their paths.
var apis = []struct {
	serves func(path string) bool
	read   func(*request)
	write  func(http.ResponseWriter, *request, answer)
}{
	{endsWith("/v1/messages"), readMessages, writeMessage},
	{endsWith("/chat/completions"), readChat, writeChat},
	{endsWith("/responses"), readResponses, writeResponse},
	{func(path string) bool { return strings.HasSuffix(strings.ToLower(path), "generatecontent") }, readContents, writeContent},
}

func endsWith(end string) func(string) bool {
	return func(path string) bool { return strings.HasSuffix(path, end) }
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // an error means that the client has disconnected
}

// events returns a function that sends a server-sent event.
func events(w http.ResponseWriter) func(name string, data any) {
	w.Header().Set("Content-Type", "text/event-stream")
	return func(name string, data any) {
		if name != "" {
			_, _ = fmt.Fprintf(w, "event: %s\n", name)
		}
		text, is := data.(string)
		if !is {
			text = encode(data)
		}
		_, _ = fmt.Fprintf(w, "data: %s\n\n", text)
		_ = http.NewResponseController(w).Flush()
	}
}

func with(o object, more object) object {
	o = maps.Clone(o)
	maps.Copy(o, more)
	return o
}

func readMessages(q *request) {
	for _, t := range items(q.body["tools"]) {
		q.tools = append(q.tools, tool{name: str(member(t)["name"])})
	}
	for _, m := range items(q.body["messages"]) {
		if member(m)["role"] == "user" {
			q.user(text(member(m)["content"]))
		}
		for _, part := range items(member(m)["content"]) {
			switch b := member(part); b["type"] {
			case "tool_use":
				q.calls = append(q.calls, str(b["name"]))
			case "tool_result":
				q.result(b["content"])
			case "image":
				q.shown(list{part})
			}
		}
	}
}

func writeMessage(w http.ResponseWriter, q *request, a answer) {
	stop := "end_turn"
	block, empty, delta := object{"type": "text", "text": a.text}, object{"type": "text", "text": ""}, object{"type": "text_delta", "text": a.text}
	if a.tool != nil {
		stop = "tool_use"
		block = object{"type": "tool_use", "id": "toolu_" + a.id, "name": a.tool.name, "input": a.args}
		empty, delta = with(block, object{"input": object{}}), object{"type": "input_json_delta", "partial_json": encode(a.args)}
	}
	head := object{
		"id": "msg_" + a.id, "type": "message", "role": "assistant", "model": q.model, "content": list{}, "stop_reason": nil, "stop_sequence": nil,
		"usage": object{"input_tokens": 10, "output_tokens": 10},
	}
	if !q.stream {
		reply(w, with(head, object{"content": list{block}, "stop_reason": stop}))
		return
	}
	send := events(w)
	event := func(name string, data object) { send(name, with(data, object{"type": name})) }
	event("message_start", object{"message": head})
	event("content_block_start", object{"index": 0, "content_block": empty})
	event("content_block_delta", object{"index": 0, "delta": delta})
	event("content_block_stop", object{"index": 0})
	event("message_delta", object{"delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": object{"output_tokens": 10}})
	event("message_stop", object{})
}

func readChat(q *request) {
	for _, t := range items(q.body["tools"]) {
		q.tools = append(q.tools, tool{name: str(member(member(t)["function"])["name"])})
	}
	for _, m := range items(q.body["messages"]) {
		switch o := member(m); o["role"] {
		case "user":
			q.user(text(o["content"]))
			q.shown(o["content"])
		case "assistant":
			for _, c := range items(o["tool_calls"]) {
				q.calls = append(q.calls, str(member(member(c)["function"])["name"]))
			}
		case "tool":
			q.result(o["content"])
		}
	}
}

func writeChat(w http.ResponseWriter, q *request, a answer) {
	message, stop := object{"role": "assistant", "content": a.text}, "stop"
	if a.tool != nil {
		call := object{"index": 0, "id": "call_" + a.id, "type": "function", "function": object{"name": a.tool.name, "arguments": encode(a.args)}}
		message, stop = object{"role": "assistant", "content": nil, "tool_calls": list{call}}, "tool_calls"
	}
	head := object{"id": "chatcmpl_" + a.id, "created": 1, "model": q.model}
	usage := object{"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}
	if !q.stream {
		choice := object{"index": 0, "message": message, "finish_reason": stop}
		reply(w, with(head, object{"object": "chat.completion", "usage": usage, "choices": list{choice}}))
		return
	}
	send := events(w)
	head["object"] = "chat.completion.chunk"
	send("", with(head, object{"choices": list{object{"index": 0, "delta": message, "finish_reason": nil}}}))
	send("", with(head, object{"choices": list{object{"index": 0, "delta": object{}, "finish_reason": stop}}}))
	send("", with(head, object{"choices": list{}, "usage": usage}))
	send("", "[DONE]")
}

func readResponses(q *request) {
	for _, t := range items(q.body["tools"]) {
		switch o := member(t); o["type"] {
		case "namespace":
			for _, inner := range items(o["tools"]) {
				q.tools = append(q.tools, tool{str(member(inner)["name"]), str(o["name"])})
			}
		case "function":
			q.tools = append(q.tools, tool{name: str(o["name"])})
		}
	}
	q.user(str(q.body["input"])) // the input may be a single text
	for _, m := range items(q.body["input"]) {
		switch o := member(m); o["type"] {
		case "function_call":
			q.calls = append(q.calls, str(o["name"]))
		case "function_call_output":
			q.result(o["output"])
		case "message", nil:
			if o["role"] == "user" {
				q.user(text(o["content"]))
				q.shown(o["content"])
			}
		}
	}
}

func writeResponse(w http.ResponseWriter, q *request, a answer) {
	part := object{"type": "output_text", "text": a.text, "annotations": list{}}
	item := object{"type": "message", "id": "msg_" + a.id, "role": "assistant", "status": "completed", "content": list{part}}
	started := with(item, object{"status": "in_progress", "content": list{}})
	if a.tool != nil {
		item = object{
			"type": "function_call", "id": "fc_" + a.id, "call_id": "call_" + a.id, "status": "completed",
			"name": a.tool.name, "arguments": encode(a.args),
		}
		if a.tool.namespace != "" {
			item["namespace"] = a.tool.namespace
		}
		started = with(item, object{"status": "in_progress", "arguments": ""})
	}
	whole := func(status string, output ...any) object {
		return object{
			"id": "resp_" + a.id, "object": "response", "created_at": 1, "status": status, "model": q.model,
			"output": append(list{}, output...), "parallel_tool_calls": true, "tool_choice": "auto", "tools": list{}, "error": nil,
			"incomplete_details": nil, "instructions": nil, "metadata": object{}, "temperature": 1, "top_p": 1,
			"usage": object{
				"input_tokens": 10, "output_tokens": 10, "total_tokens": 20,
				"input_tokens_details": object{"cached_tokens": 0}, "output_tokens_details": object{"reasoning_tokens": 0},
			},
		}
	}
	if !q.stream {
		reply(w, whole("completed", item))
		return
	}
	send, number := events(w), 0
	event := func(name string, data object) {
		send(name, with(data, object{"type": name, "sequence_number": number}))
		number++
	}
	at := object{"item_id": item["id"], "output_index": 0}
	event("response.created", object{"response": whole("in_progress")})
	event("response.output_item.added", object{"output_index": 0, "item": started})
	if a.tool != nil {
		event("response.function_call_arguments.delta", with(at, object{"delta": item["arguments"]}))
		event("response.function_call_arguments.done", with(at, object{"name": a.tool.name, "arguments": item["arguments"]}))
	} else {
		at["content_index"] = 0
		event("response.content_part.added", with(at, object{"part": with(part, object{"text": ""})}))
		event("response.output_text.delta", with(at, object{"delta": a.text, "logprobs": list{}}))
		event("response.output_text.done", with(at, object{"text": a.text, "logprobs": list{}}))
		event("response.content_part.done", with(at, object{"part": part}))
	}
	event("response.output_item.done", object{"output_index": 0, "item": item})
	event("response.completed", object{"response": whole("completed", item)})
}

func readContents(q *request) {
	if _, rest, is := strings.Cut(q.path, "/models/"); is {
		q.model, _, _ = strings.Cut(rest, ":")
	}
	for _, t := range items(q.body["tools"]) {
		for _, declared := range items(member(t)["functionDeclarations"]) {
			q.tools = append(q.tools, tool{name: str(member(declared)["name"])})
		}
	}
	for _, content := range items(q.body["contents"]) {
		for _, part := range items(member(content)["parts"]) {
			b := member(part)
			switch {
			case b["functionCall"] != nil:
				q.calls = append(q.calls, str(member(b["functionCall"])["name"]))
			case b["functionResponse"] != nil:
				response := member(b["functionResponse"])
				q.results = append(q.results, Result{leaves(response["response"]), len(inline(response["parts"]))})
			case b["inlineData"] != nil:
				q.shown(inline(list{part}))
			case member(content)["role"] == "user":
				q.user(str(b["text"]))
			}
		}
	}
}

// inline returns the parts with inline images, as parts of the type image.
func inline(parts any) (found list) {
	for _, part := range items(parts) {
		if data := member(member(part)["inlineData"]); strings.HasPrefix(str(data["mimeType"]), "image/") {
			found = append(found, object{"type": "image"})
		}
	}
	return found
}

// leaves returns all texts in a value, because each client chooses other places for them.
func leaves(v any) (all string) {
	switch v := v.(type) {
	case string:
		return v
	case list:
		for _, item := range v {
			all += leaves(item)
		}
	case object:
		for _, item := range v {
			all += leaves(item)
		}
	}
	return all
}

func writeContent(w http.ResponseWriter, q *request, a answer) {
	part := object{"text": a.text}
	if a.tool != nil {
		part = object{"functionCall": object{"id": "call_" + a.id, "name": a.tool.name, "args": a.args}, "thoughtSignature": "c2ln"}
	}
	whole := object{
		"candidates":    list{object{"index": 0, "content": object{"role": "model", "parts": list{part}}, "finishReason": "STOP"}},
		"usageMetadata": object{"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20},
		"modelVersion":  q.model, "responseId": "resp_" + a.id,
	}
	if !q.stream {
		reply(w, whole)
		return
	}
	events(w)("", whole)
}
