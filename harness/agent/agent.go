// Package agent is a small loop around a language model: it sends a task, makes what the
// answer asks for, sends the results, and ends with the answer that asks for nothing.
package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/harness/answer"
	"github.com/toolscript/toolscript/transport/llm"
)

// DefaultTurns is how many answers a Loop takes if its Turns are 0.
const DefaultTurns = 20

// Model answers conversations. *llm.Client is one.
type Model interface {
	API() llm.API
	Send(context.Context, llm.Request) (llm.Answer, error)
}

// Loop has a model work on a task.
type Loop struct {
	Model  Model
	System string     // instructions for the model
	Tools  []llm.Tool // for structured calls; none if the model only writes scripts
	Turns  int        // the most answers that are asked for; 0: DefaultTurns

	// Process makes what an answer asks for. items are the items of the answer in the
	// form of the API. It returns the items of the conversation that the harness adds:
	// JSON objects with a type.
	Process func(ctx context.Context, items []json.RawMessage) ([]json.RawMessage, error)
}

// Result is how a task ended.
type Result struct {
	Text  string // of the last answer
	Turns int    // answers
	Usage llm.Usage
}

// Run works on a task until the model answers without a script and without a call. The
// error is that of the model, of Process or of ctx; LimitCalls if the turns were not
// enough, and InvalidResult if the last answer reached its limit of tokens. The Result is
// set in any case.
func (l Loop) Run(ctx context.Context, task string) (Result, error) {
	turns := l.Turns
	if turns <= 0 {
		turns = DefaultTurns
	}
	history := []json.RawMessage{llm.UserText(task)}
	var r Result
	for range turns {
		a, err := l.Model.Send(ctx, llm.Request{System: l.System, Items: history, Tools: l.Tools})
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

// Text returns the text of an answer, without the spaces around it. The error says why the
// items do not fit the API.
func Text(items []json.RawMessage, api llm.API) (string, error) {
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
