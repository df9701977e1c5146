package toolscript

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"time"
)

// Kind classifies an error. The HTTP status, the exit code and the `code` of a script's
// error follow from it.
type Kind string

// The kinds of errors of any request.
const (
	Invalid      Kind = "invalid"      // the request does not fit the tool's schema or the API
	Unauthorized Kind = "unauthorized" // the server needs `toolscript auth`
	Forbidden    Kind = "forbidden"    // the caller may not do this
	NotFound     Kind = "not_found"    // no such server, tool or run
	Conflict     Kind = "conflict"     // the state of the resource does not allow the request
	TooLarge     Kind = "too_large"    // a body, source, answer or value is over its limit
	Unsupported  Kind = "unsupported"  // wrong content type, or an engine that is not available
	Busy         Kind = "busy"         // a queue is full
	Internal     Kind = "internal"     // a fault of the gateway itself
	ToolFailed   Kind = "tool_failed"  // the server answered with a JSON-RPC error; in scripts also isError
	Unavailable  Kind = "unavailable"  // the server is not connected; retry later
	Timeout      Kind = "timeout"      // no answer in time
)

// The additional kinds of errors of script runs.
const (
	CheckFailed     Kind = "check" // the script does not compile
	Threw           Kind = "threw" // the script threw or rejected
	LimitTime       Kind = "limit_time"
	LimitMemory     Kind = "limit_memory"
	LimitStack      Kind = "limit_stack"
	LimitCalls      Kind = "limit_calls"
	LimitOutput     Kind = "limit_output"
	Cancelled       Kind = "cancelled"
	InvalidResult   Kind = "invalid_result" // a value that JSON cannot hold, or an answer that breaks its own schema
	ApprovalDenied  Kind = "approval_denied"
	ApprovalTimeout Kind = "approval_timeout"
	MissingTools    Kind = "missing_tools" // a tool of ExecRequest.Needs cannot be called
	Quarantined     Kind = "quarantined"   // the tool has changed since it was pinned, and no person has accepted the change
)

// Error is an error with a kind. Its text is for people and never holds a
// secret.
type Error struct {
	Kind   Kind
	Server string // configured name, if the error is about one server
	Tool   string // the server's own tool name, if the error is about one tool

	Phase Phase // of a run, if the error has ended it; "": Executing

	Err        error         // what went wrong
	Next       string        // what helps, such as "run: toolscript auth github"; its place is after the text of Err
	Details    []Detail      // for Invalid: all violations
	RPCCode    int           // for ToolFailed: the JSON-RPC error code
	RetryAfter time.Duration // for Unavailable and Busy: when to try again; 0 if unknown
	Permanent  bool          // for Unavailable: another try fails too until the cause is removed

	Sent       Sent // for a call: whether its server got it; "": SentOf infers it from the kind
	Repeatable bool // for a call: the tool only reads or is idempotent, so another call does no harm
}

// Sent says whether the server got a call that failed.
type Sent string

// The values of Sent.
const (
	SentNo      Sent = "no"      // the call had no effect: it was not sent, or the server refused it
	SentUnknown Sent = "unknown" // the call was sent, or may have been, and no answer arrived
	SentYes     Sent = "yes"     // the server answered
)

// UnknownOutcome is the phrase for SentUnknown in error messages.
const UnknownOutcome = "whether the call was carried out is not known"

// Detail is one violation of a schema.
type Detail struct {
	Path    string `json:"path"` // JSON pointer into the arguments; "" is the whole value
	Message string `json:"message"`
}

// Errorf-like constructors would hide which fields an error carries, so errors
// are written as literals: &Error{Kind: NotFound, Tool: name, Err: err}.

// Error returns the text of e with the name of the server in front.
func (e *Error) Error() string {
	text := e.Text()
	if e.Server == "" || strings.HasPrefix(text, e.Server) {
		return text
	}
	return e.Server + ": " + text
}

// Text returns the message of e.Err, or the kind, and what helps.
func (e *Error) Text() string {
	text := string(e.Kind)
	if e.Err != nil {
		text = e.Err.Error()
	}
	if e.Next != "" {
		text += "; " + e.Next
	}
	return text
}

// TextOf returns the Text of the first Error in err's tree, for a place that shows the server by itself.
// Without an Error that has a message, it returns that of err.
func TextOf(err error) string {
	var e *Error
	if errors.As(err, &e) && e.Err != nil {
		return e.Text()
	}
	return err.Error()
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is an *Error with the Kind and the Err of e, such as a copy of e that
// WithSent returns.
func (e *Error) Is(target error) bool {
	t, is := target.(*Error)
	return is && t.Err != nil && e.Kind == t.Kind && reflect.TypeOf(t.Err).Comparable() && e.Err == t.Err
}

// KindOf returns the kind of the first Error in err's tree, Internal if there is no
// Error, and "" for nil.
func KindOf(err error) Kind {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return Internal
}

// WithSent returns err with sent, or err itself if err has a Sent already or sent is
// "". It never changes err, which may be shared. WithSent(nil, sent) is nil.
func WithSent(err error, sent Sent) error {
	var e *Error
	switch {
	case err == nil || sent == "":
		return err
	case !errors.As(err, &e):
		return &Error{Kind: Internal, Err: err, Sent: sent}
	case e.Sent != "":
		return err
	}
	full := *e
	full.Sent = sent
	return &full
}

// MayRepeat reports whether the call can be made again without a second effect.
func (e *Error) MayRepeat() bool {
	return e.Repeatable || e.Sent != SentUnknown && e.Sent != SentYes
}

// ContextError returns why ctx ended as an *Error: its cause if that is an *Error,
// otherwise Timeout or Cancelled. It returns nil while ctx has not ended.
func ContextError(ctx context.Context) error {
	cause := context.Cause(ctx)
	var e *Error
	switch {
	case cause == nil:
		return nil
	case errors.As(cause, &e):
		return e
	case errors.Is(cause, context.DeadlineExceeded):
		return &Error{Kind: Timeout, Err: errors.New("no answer in time")}
	default:
		return &Error{Kind: Cancelled, Err: cause}
	}
}
