// Package agent is a small loop around a language model. The loop sends a task, carries out the
// scripts and calls in the answer, and sends their results. It repeats this until an answer has
// neither scripts nor calls. A Client sends the conversation to the endpoint of a model. It
// supports three APIs: OpenAI's Responses and Chat Completions, and Anthropic's Messages.
package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/harness/answer"
)

// DefaultTurns is the maximum number of answers if Loop.Turns is 0.
const DefaultTurns = 20

// Model is a language model that continues conversations. *Client implements it.
type Model interface {
	// API returns the API that defines the form of the items.
	API() API
	// Send sends a conversation and returns the answer of the model.
	Send(context.Context, Request) (Answer, error)
}

// Loop makes a model work on a task.
type Loop struct {
	Model  Model
	System string // instructions for the model
	Tools  []Tool // tools for structured calls; nil if the model only writes scripts
	Turns  int    // maximum number of answers; 0 means DefaultTurns

	// Process carries out the scripts and calls of an answer. items are the items of the
	// answer in the form of the API. Process returns the JSON of the items that
	// harness.Process emits for the conversation.
	Process func(ctx context.Context, items []json.RawMessage) ([]json.RawMessage, error)
}

// Result is the result of a task.
type Result struct {
	Text  string // text of the last answer
	Turns int    // number of answers
	Usage Usage
}

// Run works on a task until the model answers without a script or call. It returns the errors of
// Model, Process and ctx. If the turns are used up, the error has the kind LimitCalls. If the
// last answer was cut at its token limit, the kind is InvalidResult. Run returns a Result even
// together with an error.
func (l Loop) Run(ctx context.Context, task string) (Result, error) {
	turns := l.Turns
	if turns <= 0 {
		turns = DefaultTurns
	}
	history := []json.RawMessage{UserText(task)}
	var r Result
	for range turns {
		a, err := l.Model.Send(ctx, Request{System: l.System, Items: history, Tools: l.Tools})
		if err != nil {
			return r, err
		}
		r.Turns++
		r.Usage.Input, r.Usage.Output = r.Usage.Input+a.Usage.Input, r.Usage.Output+a.Usage.Output
		if r.Text, err = Text(a.Items, l.Model.API()); err != nil {
			return r, err
		}
		done, err := l.Process(ctx, a.Items)
		if err != nil {
			return r, err
		}
		results := Results(l.Model.API(), done)
		switch {
		case len(results) > 0:
			history = append(append(history, a.Items...), results...)
		case a.Cut:
			return r, &toolscript.Error{Kind: toolscript.InvalidResult, Err: errors.New("the answer of the model reached its limit of tokens")}
		default:
			return r, nil
		}
	}
	return r, &toolscript.Error{Kind: toolscript.LimitCalls, Err: fmt.Errorf("the model has not finished within %d answers", turns)}
}

// Text returns the text of an answer without surrounding white space. It returns an error if the
// items do not have the form of the API.
func Text(items []json.RawMessage, api API) (string, error) {
	list, err := json.Marshal(items)
	if err != nil {
		return "", err
	}
	a, err := answer.Read(list, answer.API(api))
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for _, part := range a.Parts {
		if part.Text != nil {
			text.WriteString(part.Text.Text)
		}
	}
	return strings.TrimSpace(text.String()), nil
}
