package upstream

import (
	"context"
	"time"
)

// MaxAgents is the maximum number of agents that run at the same time in a gateway.
const MaxAgents = 8

// Agents asks models and runs agents. A call belongs to the run RunOf(ctx): an agent may
// reach only what that run may reach. Results and errors never contain an API key.
type Agents interface {
	// Chat sends one message to a model and returns its answer.
	Chat(context.Context, ModelRequest) (ChatAnswer, error)
	// Launch runs an agent to its end.
	Launch(context.Context, ModelRequest) (AgentResult, error)
	// Begin starts an agent in the background, and returns its id.
	Begin(ctx context.Context, r ModelRequest, background func(func(context.Context))) (id string, err error)
	// Result returns the state of an agent that Begin started. It waits at most wait for
	// the end of the agent.
	Result(ctx context.Context, id string, wait time.Duration) (AgentState, error)
}

// ModelRequest is a message to a model, or the task of an agent.
type ModelRequest struct {
	Text   string
	System string // instructions; "": no instructions

	Provider  string // name in the configuration; "": the default provider
	Model     string // "": the default model of the provider
	MaxTokens int    // maximum of one answer, never above the configured limit; 0: that limit
	Turns     int    // maximum of an agent's answers, in the same way

	Cwd      string // working directory that the scripts of an agent see
	Settings AgentSettings
}

// ChatAnswer is the result of agents.llm.chat.
type ChatAnswer struct {
	Content      string `json:"content"`
	Cut          bool   `json:"cut"` // the answer reached its token limit
	Provider     string `json:"provider"`
	Model        string `json:"model"`
	InputTokens  int64  `json:"inputTokens"`
	OutputTokens int64  `json:"outputTokens"`
}

// AgentResult is the result of an agent: the text of its last answer, and its costs. The
// counts of turns and calls include the agents that it has launched.
type AgentResult struct {
	Content      string `json:"content"`
	Turns        int    `json:"turns"`
	Calls        int    `json:"calls"`
	InputTokens  int64  `json:"inputTokens"`  // for the agent's own answers
	OutputTokens int64  `json:"outputTokens"` // for the agent's own answers
}

// The states of an agent.
const (
	AgentRunning = "running"
	AgentDone    = "done"
	AgentFailed  = "failed"
)

// AgentState is the result of agents.launch.result. AgentResult holds what is known so far.
type AgentState struct {
	ID    string `json:"id"`
	State string `json:"state"`
	AgentResult
	Error string `json:"error,omitempty"` // why the agent has failed
}
