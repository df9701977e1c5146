//go:build integration && linux

package plugin_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// block is a part of a model's answer: a text, a call of Bash, or a call of another tool.
type block struct {
	text    string
	command string
	tool    string
	input   object
}

func (b block) calls() bool { return b.command != "" || b.tool != "" }

func say(text string) []block { return []block{{text: text}} }

func bash(commands ...string) (blocks []block) {
	for _, c := range commands {
		blocks = append(blocks, block{command: c})
	}
	return blocks
}

// request is a request of the client to the model.
type request struct {
	Model    string
	Stream   bool
	Tools    []json.RawMessage
	System   json.RawMessage
	Messages []struct {
		Role    string
		Content json.RawMessage
	}

	bytes []byte
}

// endpoint is a Messages endpoint on loopback that answers from a list of turns. Requests without
// tools, for example for a title, and requests for a summary use no turn.
type endpoint struct {
	*httptest.Server

	mu       sync.Mutex
	turns    [][]block
	requests []request // requests with tools, in order
	calls    int       // number of answers so far, for their ids
}

// compaction is a part of the request for a summary of the conversation.
const compaction = "Respond with TEXT ONLY"

func newEndpoint(t *testing.T, turns ...[]block) *endpoint {
	t.Helper()
	e := &endpoint{turns: turns}
	e.Server = httptest.NewServer(e)
	t.Cleanup(e.Close)
	return e
}

// then adds turns to the list.
func (e *endpoint) then(turns ...[]block) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.turns = append(e.turns, turns...)
}

// ServeHTTP implements http.Handler.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasSuffix(r.URL.Path, "/v1/messages/count_tokens"):
		_, _ = fmt.Fprint(w, `{"input_tokens":42}`)
		return
	case r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/v1/messages"):
		w.WriteHeader(http.StatusNotFound)
		_, _ = fmt.Fprint(w, `{"type":"error","error":{"type":"not_found_error","message":"no"}}`)
		return
	}
	text, err := io.ReadAll(r.Body)
	req := request{bytes: text}
	if err == nil {
		err = json.Unmarshal(text, &req)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	id, blocks := e.answer(req)
	message := newMessage(id, req.Model, blocks)
	if !req.Stream {
		_ = json.NewEncoder(w).Encode(message.whole())
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	message.stream(w)
}

// answer returns the next turn of the list, or the text ok after the last turn.
func (e *endpoint) answer(req request) (id int, blocks []block) {
	e.mu.Lock()
	defer e.mu.Unlock()
	blocks = say("ok")
	if len(req.Tools) > 0 && !strings.Contains(string(req.bytes), compaction) {
		e.requests = append(e.requests, req)
		if len(e.turns) > 0 {
			blocks, e.turns = e.turns[0], e.turns[1:]
		}
	}
	e.calls++
	return e.calls, blocks
}

// shown returns the text of all requests with tools.
func (e *endpoint) shown() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var all strings.Builder
	for _, r := range e.requests {
		all.Write(r.bytes)
	}
	return all.String()
}

// lastRequest returns the last request with tools.
func (e *endpoint) lastRequest(t *testing.T) request {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.requests) == 0 {
		t.Fatal("the model was not asked")
	}
	return e.requests[len(e.requests)-1]
}

// toolResult is the result of a call in a request to the model.
type toolResult struct {
	text  string
	error bool
}

// results returns the tool results in the last request, in order.
func (e *endpoint) results(t *testing.T) (results []toolResult) {
	t.Helper()
	for _, m := range e.lastRequest(t).Messages {
		var parts []struct {
			Type    string
			Content json.RawMessage
			IsError bool `json:"is_error"`
		}
		if json.Unmarshal(m.Content, &parts) != nil {
			continue // the content is a text, without results
		}
		for _, p := range parts {
			if p.Type == "tool_result" {
				results = append(results, toolResult{plain(p.Content), p.IsError})
			}
		}
	}
	return results
}

// plain returns the text of content, which is a string or a list of parts.
func plain(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []struct{ Text string }
	_ = json.Unmarshal(content, &parts) // other content has no text
	for _, p := range parts {
		text += p.Text
	}
	return text
}

type object = map[string]any

// message is one answer in the format of the API.
type message struct {
	head   object
	blocks []block
	id     int
}

func newMessage(id int, model string, blocks []block) message {
	return message{object{
		"id": fmt.Sprintf("msg_%d", id), "type": "message", "role": "assistant", "model": model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": object{"input_tokens": 10, "output_tokens": 1},
	}, blocks, id}
}

func (m message) stop() string {
	for _, b := range m.blocks {
		if b.calls() {
			return "tool_use"
		}
	}
	return "end_turn"
}

func (m message) input(b block) object {
	if b.tool != "" {
		return b.input
	}
	return object{"command": b.command, "description": "a step of the test"}
}

func (m message) call(k int) object {
	return object{"type": "tool_use", "id": fmt.Sprintf("toolu_%d_%d", m.id, k), "name": cmp.Or(m.blocks[k].tool, "Bash"), "input": object{}}
}

func (m message) whole() object {
	content := []any{}
	for k, b := range m.blocks {
		if !b.calls() {
			content = append(content, object{"type": "text", "text": b.text})
			continue
		}
		call := m.call(k)
		call["input"] = m.input(b)
		content = append(content, call)
	}
	m.head["content"], m.head["stop_reason"] = content, m.stop()
	return m.head
}

func (m message) stream(w http.ResponseWriter) {
	event := func(name string, data object) {
		data["type"] = name
		text, _ := json.Marshal(data)
		_, _ = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, text)
		_ = http.NewResponseController(w).Flush()
	}
	event("message_start", object{"message": m.head})
	for k, b := range m.blocks {
		start, delta := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": b.text}
		if b.calls() {
			input, _ := json.Marshal(m.input(b))
			start, delta = m.call(k), object{"type": "input_json_delta", "partial_json": string(input)}
		}
		event("content_block_start", object{"index": k, "content_block": start})
		event("content_block_delta", object{"index": k, "delta": delta})
		event("content_block_stop", object{"index": k})
	}
	event("message_delta", object{"delta": object{"stop_reason": m.stop(), "stop_sequence": nil}, "usage": object{"output_tokens": 10}})
	event("message_stop", object{})
}
