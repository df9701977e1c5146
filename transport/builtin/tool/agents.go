package tool

import (
	"context"
	"time"

	"github.com/toolscript/toolscript/transport/mcpclient"
)

// Agents asks models and runs agents. A call belongs to the run RunOf(ctx): an agent may
// not reach what that run may not reach. No result and no error holds a key.
type Agents interface {
	// Chat sends one message to a model and returns its answer.
	Chat(context.Context, ModelRequest) (ChatAnswer, error)
	// Launch runs an agent to its end.
	Launch(context.Context, ModelRequest) (AgentResult, error)
	// Begin starts an agent in the background, and returns its id.
	Begin(ctx context.Context, r ModelRequest, background func(func(context.Context))) (id string, err error)
	// Result returns the state of an agent of Begin. It waits for its end for at most
	// the given time.
	Result(ctx context.Context, id string, wait time.Duration) (AgentState, error)
}

// ModelRequest is a message to a model, or the task of an agent.
type ModelRequest struct {
	Text   string
	System string // instructions; "" for none

	Provider  string // as in the configuration; "": its default
	Model     string // "": that of the provider
	MaxTokens int    // of one answer; 0: the bound of the configuration, which is never exceeded
	Turns     int    // of an agent; the same

	Cwd      string // what the scripts of an agent see as their working directory
	Settings mcpclient.AgentSettings
}

// ChatAnswer is the result of agents.llm.chat.
type ChatAnswer struct {
	Content      string `json:"content"`
	Cut          bool   `json:"cut"` // the model reached its limit of tokens
	Provider     string `json:"provider"`
	Model        string `json:"model"`
	InputTokens  int64  `json:"inputTokens"`
	OutputTokens int64  `json:"outputTokens"`
}

// AgentResult is what an agent has done: the text of its last answer, and what it took.
// The counts of turns and calls include those of the agents that it has launched.
type AgentResult struct {
	Content      string `json:"content"`
	Turns        int    `json:"turns"`
	Calls        int    `json:"calls"`
	InputTokens  int64  `json:"inputTokens"`  // of its own answers
	OutputTokens int64  `json:"outputTokens"` // the same
}

// The states of an agent.
const (
	AgentRunning = "running"
	AgentDone    = "done"
	AgentFailed  = "failed"
)

// AgentState is the result of agents.launch.result. Result has what is known so far.
type AgentState struct {
	ID    string `json:"id"`
	State string `json:"state"`
	AgentResult
	Error string `json:"error,omitempty"` // why it has failed
}
