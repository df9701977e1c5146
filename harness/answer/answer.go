// Package answer parses the answers of models. It supports three APIs: items of OpenAI's Responses
// API, messages of its Chat Completions API, and messages of Anthropic's Messages API. From all
// three, Read returns the same parts: the text of the assistant and its tool calls. A Detector
// finds the scripts in the text.
package answer

import (
	"encoding/json"
	"fmt"
	"strings"
)

// API is the API that defines the form of an answer.
type API string

// The APIs.
const (
	Responses API = "responses" // items of OpenAI's Responses API
	Chat      API = "chat"      // messages of OpenAI's Chat Completions API
	Messages  API = "messages"  // messages of Anthropic's Messages API
)

// ParseAPI returns the API with the given name. "" is allowed and makes Read detect the API. ParseAPI returns an
// error for any other name.
func ParseAPI(name string) (API, error) {
	switch api := API(name); api {
	case "", Responses, Chat, Messages:
		return api, nil
	}
	return "", fmt.Errorf("%.50q is no API: use %s, %s or %s", name, Responses, Chat, Messages)
}

// Answer is the answer of a model.
type Answer struct {
	API   API
	Parts []Part // in order
}

// Part is a text or a call. Exactly one field is set.
type Part struct {
	Text *Text
	Call *Call
}

// Text is text of the assistant. Adjacent texts of a message form one Text.
type Text struct {
	Text string
	// Continues reports that the message has an earlier Text. Positions in this Text
	// continue those of the earlier one.
	Continues bool
}

// Call is a structured tool call.
type Call struct {
	ID      string
	Name    string
	Args    json.RawMessage // a JSON object
	Problem string          // why the call cannot be made; Args is then nil
}

// Read parses an answer. data is a response of the API, or items or messages, in a list or one
// after the other. If api is "", Read detects the API. Read returns only the text and the calls
// of the assistant, without user messages, tool results, reasoning and refusals. It leaves out
// calls whose output is in the data.
func Read(data []byte, api API) (Answer, error) {
	values, err := split(data)
	if err != nil {
		return Answer{}, err
	}
	if api == "" {
		if api, err = recognize(values); err != nil {
			return Answer{}, err
		}
	}
	r := reader{api: api, answered: map[string]bool{}}
	for _, v := range values {
		r.item(v)
	}
	return Answer{API: api, Parts: r.open()}, nil
}

// List returns the items or messages in data as one JSON list. It accepts the same formats as Read.
func List(data []byte) (json.RawMessage, error) {
	values, err := split(data)
	if err != nil {
		return nil, err
	}
	return json.Marshal(values)
}

// reader collects the parts of an answer.
type reader struct {
	api      API
	parts    []Part
	answered map[string]bool // ids of the calls with an output
	begun    bool            // the current message has a text
	adjacent bool            // the last part is text of the current message
}

// open returns the parts without the calls that have an output.
func (r *reader) open() []Part {
	var open []Part
	for _, p := range r.parts {
		if p.Call == nil || !r.answered[p.Call.ID] {
			open = append(open, p)
		}
	}
	return open
}

// item adds the parts of an item or a message.
func (r *reader) item(v object) {
	r.begun, r.adjacent = false, false
	switch r.api {
	case Responses:
		r.responsesItem(v)
	case Chat:
		r.chatMessage(v)
	case Messages:
		r.anthropicMessage(v)
	}
}

func (r *reader) responsesItem(v object) {
	switch kind := v.text("type"); {
	case kind == "function_call":
		r.call(v.text("call_id"), v.text("name"), encoded(v["arguments"]))
	case kind == "function_call_output":
		r.answered[v.text("call_id")] = true
	case v.text("role") == "assistant" && (kind == "message" || kind == ""):
		r.content(v["content"], "output_text")
	}
}

func (r *reader) chatMessage(v object) {
	switch v.text("role") {
	case "tool":
		r.answered[v.text("tool_call_id")] = true
	case "assistant":
		r.content(v["content"], "text")
		for _, c := range v.list("tool_calls") {
			function := c.object("function")
			r.call(c.text("id"), function.text("name"), encoded(function["arguments"]))
		}
	}
}

func (r *reader) anthropicMessage(v object) {
	switch v.text("role") {
	case "user":
		for _, part := range v.list("content") {
			if part.text("type") == "tool_result" {
				r.answered[part.text("tool_use_id")] = true
			}
		}
	case "assistant":
		r.content(v["content"], "text")
	}
}

// content adds the content of an assistant message: a string, or a list of parts. Parts
// of type textType are text.
func (r *reader) content(raw json.RawMessage, textType string) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		r.text(text)
		return
	}
	for _, part := range objects(raw) {
		switch kind := part.text("type"); {
		case kind == textType:
			r.text(part.text("text"))
		case kind == "tool_use" && r.api == Messages:
			r.call(part.text("id"), part.text("name"), part["input"])
		default:
			r.adjacent = false
		}
	}
}

func (r *reader) text(text string) {
	if text == "" {
		return
	}
	if r.adjacent {
		r.parts[len(r.parts)-1].Text.Text += text
		return
	}
	r.parts = append(r.parts, Part{Text: &Text{Text: text, Continues: r.begun}})
	r.begun, r.adjacent = true, true
}

// call adds a call. args is its arguments as JSON.
func (r *reader) call(id, name string, args json.RawMessage) {
	r.adjacent = false
	c := &Call{ID: id, Name: name, Args: args}
	if len(strings.TrimSpace(string(args))) == 0 || string(args) == "null" {
		c.Args = json.RawMessage("{}")
	} else if !isObject(args) {
		c.Args, c.Problem = nil, "the arguments are not a JSON object"
	}
	switch {
	case id == "":
		c.Args, c.Problem = nil, "the call has no id"
	case name == "":
		c.Args, c.Problem = nil, "the call names no tool"
	}
	r.parts = append(r.parts, Part{Call: c})
}

// encoded returns the JSON text that a JSON string contains. It returns any other value unchanged.
func encoded(raw json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return json.RawMessage(text)
	}
	return raw
}
