package toolscript

import (
	"encoding/json"
	"fmt"
	"time"
)

// AskLimit bounds the wait for a person.
const AskLimit = 5 * time.Minute

// Question is what a server wants to know of the person behind a call.
type Question struct {
	ID      string          `json:"askId"`
	Server  string          `json:"server"`
	Message string          `json:"message"`
	Schema  json.RawMessage `json:"schema"` // JSON Schema of the answer: an object of plain members
}

// Answer is what the person says to a Question. It is the body of POST
// /runs/{id}/reply.
type Answer struct {
	ID      string          `json:"askId"`
	Action  string          `json:"action"`            // one of Accept, Decline and Cancel
	Content json.RawMessage `json:"content,omitempty"` // of Accept: what the schema asks for
}

// The words for Answer.Action.
const (
	Accept  = "accept"
	Decline = "decline" // the person does not want to answer
	Cancel  = "cancel"  // the person did not decide
)

// Validate refuses what is no answer to any question.
func (a Answer) Validate() error {
	if a.Action == Accept || a.Action == Decline || a.Action == Cancel {
		return nil
	}
	message := fmt.Sprintf("must be %s, %s or %s, not %.50q", Accept, Decline, Cancel, a.Action)
	return &Error{Kind: Invalid, Err: fmt.Errorf("action %s", message), Details: []Detail{{"/action", message}}}
}
