// Package model is a language model whose answers are written beforehand, for tests of its
// clients. It serves four APIs: Messages, Chat Completions, Responses and generateContent.
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

// Call is a call of a tool that the model makes.
type Call struct {
	Tool string         `json:"tool"` // the end of its name: each client puts a prefix of its own before it
	Args map[string]any `json:"args"`
}

// Result is the result of a call as the client passed it to the model.
type Result struct {
	Text   string `json:"text"`
	Images int    `json:"images"`
}

// Conversation is what the model has received about one task.
type Conversation struct {
	Turns   int // requests
	Results []Result
	Missing string // a tool that the client did not offer, and those that it did
	Final   bool   // the model has given its last answer
}

// Endpoint is the HTTP endpoint of the model. Its answer depends on the conversation in the
// request alone: the prompt names the task, and the calls since then are the steps done.
type Endpoint struct {
	*httptest.Server

	tasks map[string][]Call
	mu    sync.Mutex
	seen  map[string]Conversation
}

// Start starts an endpoint for tasks, which are lists of calls by name.
func Start(tasks map[string][]Call) *Endpoint {
	e := &Endpoint{tasks: tasks, seen: map[string]Conversation{}}
	e.Server = httptest.NewServer(e)
	return e
}

// Prompt is what the user of a client says to begin a task.
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

// Name is the name of the model where a client wants one. Any other one works too.
const Name = "scripted"

// An answer is a text or one call.
type answer struct {
	id   string // unique in the conversation
	text string
	tool *tool
	args map[string]any
}

// answer decides about a request. One without tools or without a prompt is for something else,
// such as a title of the conversation, and is no turn.
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
