package toolscript

import (
	"encoding/json"
	"fmt"
	"time"
)

// AskLimit is the longest time that a question waits for a person.
const AskLimit = 5 * time.Minute

// Question is an elicitation of MCP: a question of a server to the person behind a call.
type Question struct {
	ID      string          `json:"askId"`
	Server  string          `json:"server"`
	Message string          `json:"message"`
	Schema  json.RawMessage `json:"schema"` // JSON Schema of the answer: an object with members of simple types
}

// Answer is the person's answer to a Question. It is the body of POST
// /runs/{id}/reply.
type Answer struct {
	ID      string          `json:"askId"`
	Action  string          `json:"action"`            // one of Accept, Decline and Cancel
	Content json.RawMessage `json:"content,omitempty"` // with Accept: the answer, which fits the schema
}

// The values of Answer.Action.
const (
	Accept  = "accept"
	Decline = "decline" // the person refused to answer
	Cancel  = "cancel"  // the person did not decide
)

// Validate returns an Invalid error for an unknown action.
func (a Answer) Validate() error {
	if a.Action == Accept || a.Action == Decline || a.Action == Cancel {
		return nil
	}
	message := fmt.Sprintf("must be %s, %s or %s, not %.50q", Accept, Decline, Cancel, a.Action)
	return &Error{Kind: Invalid, Err: fmt.Errorf("action %s", message), Details: []Detail{{"/action", message}}}
}
