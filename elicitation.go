package toolscript

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// AskLimit is the longest time that a question waits for a person.
const AskLimit = 5 * time.Minute

// Question is an elicitation of MCP: a question of a server to the person behind a call. It has
// either a Schema, for a form, or a URL, for a page that the person opens in a browser. For a
// page, Accept means that the person agrees to open it.
type Question struct {
	ID      string          `json:"askId"`
	Server  string          `json:"server"`
	Message string          `json:"message"`
	Schema  json.RawMessage `json:"schema,omitempty"` // JSON Schema of the answer: an object; see FlatForm
	URL     string          `json:"url,omitempty"`    // https, or http on this machine

	Page     string          `json:"-"` // the server's id for the page; "" if it has none
	Finished <-chan struct{} `json:"-"` // closed when the server says that the page is finished; may be nil
	Await    bool            `json:"-"` // the clock of the run's time limit is stopped until the page is finished
}

// Host returns the host in the URL of the page; "" for a form.
func (q Question) Host() string {
	u, err := url.Parse(q.URL)
	if err != nil {
		return ""
	}
	return u.Host
}

// Warning returns a reason to distrust the address of the page; "" if there is none.
func (q Question) Warning() string {
	host := q.Host()
	for _, r := range host {
		if r > '~' {
			return "the name of the host has letters that can look like others"
		}
	}
	switch {
	case strings.Contains(host, "xn--"):
		return "the name of the host stands for letters that can look like others"
	case strings.HasPrefix(q.URL, "http:"):
		return "the page is a program on this machine"
	}
	return ""
}

// Link returns a sentence that asks a person to open the page, for a client that cannot put a
// Question to a person.
func (q Question) Link() string {
	return fmt.Sprintf("a person has to open %s in a browser (host: %s), for: %q", q.URL, q.Host(), q.Message)
}

// Answer is the person's answer to a Question. It is the body of POST
// /runs/{id}/reply.
type Answer struct {
	ID      string          `json:"askId"`
	Action  string          `json:"action"`            // one of Accept, Decline and Cancel
	Content json.RawMessage `json:"content,omitempty"` // with Accept of a form: the answer, which fits the schema
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
