package toolscript

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"time"
)

// Kind classes an error for those who must act differently: the HTTP status,
// the exit code and the `code` of a script's error all follow from it.
type Kind string

// The kinds of a request.
const (
	Invalid      Kind = "invalid"      // the request does not fit the tool's schema or the API
	Unauthorized Kind = "unauthorized" // the server needs `toolscript auth`
	Forbidden    Kind = "forbidden"    // the caller may not do this
	NotFound     Kind = "not_found"    // no such server, tool or run
	Conflict     Kind = "conflict"     // the thing is not in a state that allows it
	TooLarge     Kind = "too_large"    // body, source, answer or value over its limit
	Unsupported  Kind = "unsupported"  // wrong content type, or an engine that is not here
	Busy         Kind = "busy"         // a queue is full
	Internal     Kind = "internal"     // a fault of ours
	ToolFailed   Kind = "tool_failed"  // the server answered with a JSON-RPC error; in scripts also isError
	Unavailable  Kind = "unavailable"  // the server is not connected; retry later
	Timeout      Kind = "timeout"      // no answer in time
)

// The further kinds of a script run.
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
	Quarantined     Kind = "quarantined"   // the tool has changed since it was pinned, and no person has accepted that
)

// Error is an error with a kind. Its text is for people and never holds a
// secret.
type Error struct {
	Kind   Kind
	Server string // configured name, when the error is about one server
	Tool   string // the server's own tool name, when it is about one tool

	Err        error         // what went wrong
	Details    []Detail      // of Invalid: every violation
	RPCCode    int           // of ToolFailed: the JSON-RPC error code
	RetryAfter time.Duration // of Unavailable and Busy: when to try again; 0 if unknown
	Permanent  bool          // of Unavailable: no other try helps before the cause has been removed

	Sent       Sent // of a call: whether its server got it; "": SentOf infers it from the kind
	Repeatable bool // of a call: the tool only reads or is idempotent, so another call does no harm
}

// Sent is what is known about a call that failed: whether its server got it.
type Sent string

// The values of Sent.
const (
	SentNo      Sent = "no"      // the call had no effect: it was not sent, or the server refused it
	SentUnknown Sent = "unknown" // the call was sent, or may have been, and no answer arrived
	SentYes     Sent = "yes"     // the server answered
)

// UnknownOutcome is how the text of an error says SentUnknown.
const UnknownOutcome = "whether the call was carried out is not known"

// Detail is one violation of a schema.
type Detail struct {
	Path    string `json:"path"` // JSON pointer into the arguments; "" is the whole
	Message string `json:"message"`
}

// Errorf-like constructors would hide which fields an error carries, so errors
// are written as literals: &Error{Kind: NotFound, Tool: name, Err: err}.

// Error is what went wrong, after the server it went wrong on.
func (e *Error) Error() string {
	text := string(e.Kind)
	if e.Err != nil {
		text = e.Err.Error()
	}
	if e.Server == "" || strings.HasPrefix(text, e.Server) {
		return text
	}
	return e.Server + ": " + text
}

func (e *Error) Unwrap() error { return e.Err }

// Is reports whether e is target or a copy of it with other fields, such as WithSent makes.
func (e *Error) Is(target error) bool {
	t, is := target.(*Error)
	return is && t.Err != nil && e.Kind == t.Kind && reflect.TypeOf(t.Err).Comparable() && e.Err == t.Err
}

// KindOf is the kind of the first Error in err's tree: Internal when there is
// none, "" for nil.
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

// SentOf is the Sent of the first Error in err's tree. An Error without one gets the Sent that
// its kind implies; where a kind implies none, that is SentUnknown. It is "" for nil.
func SentOf(err error) Sent {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) && e.Sent != "" {
		return e.Sent
	}
	switch KindOf(err) {
	case Invalid, Unauthorized, Forbidden, NotFound, Conflict, Unsupported, LimitCalls, ApprovalDenied, ApprovalTimeout, MissingTools, Quarantined:
		return SentNo
	case ToolFailed, InvalidResult:
		return SentYes
	default:
		return SentUnknown
	}
}

// WithSent returns err with sent, unless err has a Sent or sent is "". err is not changed, because it may
// be shared. nil stays nil.
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

// ContextError says with a kind why ctx ended: its cause when that has one,
// else Timeout or Cancelled. It is nil while ctx has not ended.
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
