package toolscript

import (
	"cmp"
	"encoding/json"
	"errors"
	"time"
)

// The forms in which an Error leaves the program: the error of a run, the error that a script catches,
// and the status and body of an HTTP answer. This file has what they depend on.

// form says how the errors of a kind appear.
type form struct {
	class  string // error class in scripts; "": ScriptError
	status int    // of HTTP; 0: that of Internal, because the kind only ends runs
	sent   Sent   // whether the server got a failed call; "": SentUnknown
}

var forms = map[Kind]form{
	Invalid:         {status: 400, sent: SentNo},
	Unauthorized:    {status: 401, sent: SentNo},
	Forbidden:       {status: 403, sent: SentNo},
	NotFound:        {status: 404, sent: SentNo},
	Conflict:        {status: 409, sent: SentNo},
	TooLarge:        {status: 413, class: "ScriptTooLargeError"},
	Unsupported:     {status: 415, sent: SentNo},
	Busy:            {status: 429},
	Internal:        {status: 500},
	ToolFailed:      {status: 502, sent: SentYes},
	Unavailable:     {status: 503},
	Timeout:         {status: 504},
	CheckFailed:     {class: "ScriptCheckError"},
	LimitTime:       {class: "ScriptTimeoutError"},
	LimitMemory:     {class: "ScriptMemoryError"},
	LimitStack:      {class: "ScriptStackError"},
	LimitCalls:      {status: 429, class: "ToolBudgetExceededError", sent: SentNo}, // the run has used all its calls
	LimitOutput:     {class: "ScriptOutputError"},
	Cancelled:       {status: 499, class: "ScriptCancelledError"}, // only in the log: the client has closed the connection
	InvalidResult:   {status: 502, class: "InvalidResultError", sent: SentYes},
	ApprovalDenied:  {status: 403, class: "ApprovalDeniedError", sent: SentNo},
	ApprovalTimeout: {status: 504, class: "ApprovalTimeoutError", sent: SentNo},
	MissingTools:    {class: "ToolsMissingError", sent: SentNo},
	Quarantined:     {status: 403, class: "ToolQuarantinedError", sent: SentNo},
}

// ClassName returns the error class for a kind in scripts and their documentation.
func (k Kind) ClassName() string { return cmp.Or(forms[k].class, "ScriptError") }

// Status returns the HTTP status for a kind.
func (k Kind) Status() int { return cmp.Or(forms[k].status, forms[Internal].status) }

// SentOf returns the Sent of the first Error in err's tree. If it is empty, SentOf
// infers it from the kind; the default is SentUnknown. SentOf(nil) is "".
func SentOf(err error) Sent {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) && e.Sent != "" {
		return e.Sent
	}
	return cmp.Or(forms[KindOf(err)].sent, SentUnknown)
}

// Fail returns the error of a run that ended for a reason outside its script.
func Fail(kind Kind, message string) *RunError {
	return &RunError{Name: kind.ClassName(), Code: kind, Message: message}
}

// RunErrorOf returns the error of a run that err has ended.
func RunErrorOf(err error, runID string) *RunError {
	out := Fail(KindOf(err), err.Error())
	out.Phase, out.ScriptID = Executing, runID
	for e := (*Error)(nil); errors.As(err, &e); err = e.Err {
		if e.Phase != "" {
			out.Phase = e.Phase
			break
		}
	}
	return out
}

// ToolErrorOf returns the error that a script catches for a call of a tool that failed with err.
func ToolErrorOf(err error, server, tool string) *ToolError {
	out := &ToolError{Server: server, Tool: tool, Code: KindOf(err), Message: err.Error(), Sent: SentOf(err)}
	var e *Error
	if errors.As(err, &e) {
		out.RPCCode, out.Details = e.RPCCode, e.Details
		out.Server = cmp.Or(server, e.Server)
		if out.Sent == SentNo || e.Repeatable {
			out.RetryMs = e.RetryMs()
		}
	}
	return out
}

// RetryMs returns RetryAfter in milliseconds, rounded up.
func (e *Error) RetryMs() int64 {
	return int64((e.RetryAfter + time.Millisecond - 1) / time.Millisecond)
}

// JSON returns the error in JSON, without the parts of the answer if one of them is not JSON.
func (e *ToolError) JSON() []byte {
	text, err := json.Marshal(e)
	if err != nil {
		plain := *e
		plain.Content, plain.Structured = nil, nil
		text, _ = json.Marshal(&plain) // only texts and numbers
	}
	return text
}
