// Package model implements a fake language model with prepared answers, for tests of model clients.
// It serves four APIs: Messages, Chat Completions, Responses and generateContent.
package model

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
)

// Call is a tool call that the model makes.
type Call struct {
	Tool string         `json:"tool"` // end of the tool's name: each client adds its own prefix
	Args map[string]any `json:"args"`
}

// Result is the result of a call, as the client passed it to the model.
type Result struct {
	Text   string `json:"text"`
	Images int    `json:"images"`
}

// Conversation is what the model has received about one task.
type Conversation struct {
	Turns   int // number of requests
	Results []Result
	Missing string // a tool that the client did not offer, followed by those that it offered
	Final   bool   // whether the model has given its last answer
}

// Endpoint is the HTTP endpoint of the model. Its answer depends only on the conversation in the
// request: the prompt names the task, and the calls after the prompt are the steps done.
type Endpoint struct {
	*httptest.Server

	tasks map[string][]Call
	mu    sync.Mutex
	seen  map[string]Conversation
}

// Start starts an endpoint. tasks maps the names of tasks to their calls.
func Start(tasks map[string][]Call) *Endpoint {
	e := &Endpoint{tasks: tasks, seen: map[string]Conversation{}}
	e.Server = httptest.NewServer(e)
	return e
}

// Prompt returns the prompt that begins a task.
func Prompt(task string) string { return "Please do task:" + task + " now." }

var prompt = regexp.MustCompile(`Please do task:(\w+) now\.`)

// Conversation returns what the model has received about a task.
func (e *Endpoint) Conversation(task string) Conversation {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.seen[task]
}

// ServeHTTP implements http.Handler.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body object
	if r.Method == http.MethodPost {
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
	}
	path := r.URL.Path
	for _, api := range apis {
		if r.Method == http.MethodPost && api.serves(path) {
			q := &request{path: path, body: body, stream: body["stream"] == true || strings.Contains(path, ":stream")}
			q.model, _ = body["model"].(string)
			api.read(q)
			api.write(w, q, e.answer(q))
			return
		}
	}
	switch {
	case strings.HasSuffix(path, "/count_tokens"):
		reply(w, object{"input_tokens": 42})
	case strings.HasSuffix(path, ":countTokens"):
		reply(w, object{"totalTokens": 42})
	case strings.HasSuffix(path, "/models"):
		reply(w, object{"object": "list", "data": list{object{"id": Name, "object": "model", "created": 1, "owned_by": "test"}}, "models": list{}})
	default:
		w.WriteHeader(http.StatusNotFound)
		reply(w, object{"error": object{"type": "not_found_error", "message": "the model has no " + path}})
	}
}

// Name is the name of the model for clients that need one. Any other name works, too.
const Name = "scripted"

// An answer is a text or one call.
type answer struct {
	id   string // unique in the conversation
	text string
	tool *tool
	args map[string]any
}

// answer returns the answer to a request. A request without tools or a prompt has another purpose,
// such as a title for the conversation, and does not count as a turn.
func (e *Endpoint) answer(q *request) answer {
	a := answer{id: fmt.Sprint(len(q.calls)), text: "Done."}
	if len(q.tools) == 0 || q.task == "" {
		return a
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	c := e.seen[q.task]
	c.Turns++
	c.Results = q.results
	switch steps := e.tasks[q.task]; {
	case len(q.calls) >= len(steps):
		c.Final = true
	default:
		step := steps[len(q.calls)]
		if a.tool, a.args = q.find(step.Tool), step.Args; a.tool == nil {
			c.Missing = fmt.Sprintf("%s, the client has %s", step.Tool, q.names())
			a.text = "There is no tool " + c.Missing
		}
	}
	e.seen[q.task] = c
	return a
}
