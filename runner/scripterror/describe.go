package scripterror

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/toolscript/toolscript"
)

// description is the prelude's report of an error (describe.js).
type description struct {
	Name    string          `json:"name"`
	Message string          `json:"message"`
	Stack   string          `json:"stack"`
	Code    toolscript.Kind `json:"code"`
	Server  string          `json:"server"`  // server of a failed call
	Tool    string          `json:"tool"`    // tool id of a failed call
	Failure toolscript.Kind `json:"failure"` // code of a failed call
	Sent    toolscript.Sent `json:"sent"`    // for a failed call: whether the server got it
	Call    int             `json:"call"`
	More    map[string]any  `json:"more"` // cause, errors
}

// Thrown returns the error of a script that threw. thrownText is the report of the prelude,
// or "" if the prelude failed. heap is the memory limit of the run in bytes.
func (s *Source) Thrown(thrownText string, phase toolscript.Phase, heap uint64) *toolscript.RunError {
	e := &toolscript.RunError{Name: "Error", Code: toolscript.Threw, Message: "the script threw a value that cannot be shown", Phase: phase}
	var d description
	if json.Unmarshal([]byte(thrownText), &d) != nil {
		return e
	}
	e.Name, e.Message, e.Code, e.ToolName = d.Name, d.Message, d.Code, d.Tool
	if len(d.More) > 0 {
		e.Metadata = d.More
	}
	if d.Call > 0 {
		e.CallID = strconv.Itoa(d.Call)
	}
	s.ofCall(e, d)
	switch {
	case d.Code == toolscript.LimitMemory:
		full := OutOfMemory(heap)
		e.Name, e.Message = full.Name, full.Message
	case d.Code == toolscript.LimitStack:
		e.Name = d.Code.ClassName()
		e.Message = "the script's calls nest deeper than its stack allows: " + d.Message
	case d.Code == toolscript.InvalidResult:
		e.Phase = toolscript.Finalizing
	case phase == toolscript.Parsing:
		e.Code = toolscript.CheckFailed
	}
	e.Message += absent(e)
	e.Stack, e.Excerpt = s.trace(d.Stack)
	return e
}

// ofCall adds the failed call and its error to e, because the message of a server may name neither
// the server nor the tool.
func (s *Source) ofCall(e *toolscript.RunError, d description) {
	if d.Tool == "" || d.Code != toolscript.Threw {
		return
	}
	e.Server, e.Tool, e.Sent = d.Server, d.Tool, d.Sent
	if d.Failure != "" {
		e.Code = d.Failure
	}
	if !strings.Contains(e.Message, d.Tool) {
		e.Message = d.Tool + ": " + e.Message
	}
}

// undefinedName matches the message of both engines that a name is not defined.
var undefinedName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^'?([\w$]{1,30})'? is not defined$`) })

// absent returns a suffix for the message about an undefined name: what a script can use instead.
// It returns "" if no other environment has the name.
func absent(e *toolscript.RunError) string {
	name := undefinedName().FindStringSubmatch(e.Message)
	if e.Name != "ReferenceError" || name == nil {
		return ""
	}
	need, ok := Global(name[1])
	switch {
	case !ok:
		return ""
	case need.Query == "":
		return ": " + need.Advice
	}
	return fmt.Sprintf(": %s: %s", need.Advice, toolscript.Command("search", need.Query))
}

// OutOfTime returns the error for a run that reached its limit of wall time.
func OutOfTime(l toolscript.Limits) *toolscript.RunError {
	return toolscript.Fail(toolscript.LimitTime, fmt.Sprintf("the script ran longer than its limit of %d ms; allow more with --timeout", l.TimeoutMs))
}

// OutOfCPU returns the error for a run that reached its limit of CPU time.
func OutOfCPU(l toolscript.Limits) *toolscript.RunError {
	return toolscript.Fail(toolscript.LimitTime, fmt.Sprintf("the script used more than its limit of %d ms of CPU time; allow more with --cpu", l.CPUMs))
}

// OutOfMemory returns the error for a run that reached its memory limit, in bytes.
func OutOfMemory(limit uint64) *toolscript.RunError {
	return toolscript.Fail(toolscript.LimitMemory, fmt.Sprintf("the script needs more memory than its limit of %d MB", limit>>20))
}

// maxDepth is the limit of encoding/json, 10,000 levels, minus the levels that enclose a
// value in a message to the client.
const maxDepth = 10_000 - 8

// TooDeep reports whether a JSON value is nested more deeply than a message may be.
func TooDeep(value []byte) bool {
	if bytes.Count(value, []byte("["))+bytes.Count(value, []byte("{")) <= maxDepth {
		return false
	}
	depth, quoted := 0, false
	for i := 0; i < len(value); i++ {
		switch value[i] {
		case '"':
			quoted = !quoted
		case '\\':
			i++
		case '[', '{':
			if quoted {
				continue
			}
			if depth++; depth > maxDepth {
				return true
			}
		case ']', '}':
			if !quoted {
				depth--
			}
		}
	}
	return false
}

// ValueTooDeep returns the error for a value that is TooDeep.
func ValueTooDeep() *toolscript.RunError {
	e := toolscript.Fail(toolscript.InvalidResult, "the value of the script nests too deep to be passed on")
	e.Phase = toolscript.Finalizing
	return e
}

// AnswersWait returns the error for a script that makes calls and does not read their
// answers, if these take more than most bytes.
func AnswersWait(most int64) *toolscript.RunError {
	return toolscript.Fail(toolscript.LimitMemory, fmt.Sprintf(
		"answers that wait for the script need more than %d MB of memory: let it await calls before it makes more", most>>20))
}

// AnswerTooLong returns the error that a script catches when the answer of a tool exceeds the
// limit of the engine.
func AnswerTooLong(tool string, size, most int) *toolscript.ToolError {
	return tooLong("answer", tool, size, most, toolscript.SentYes)
}

// ArgumentsTooLong is like AnswerTooLong, for the arguments of a tool.
func ArgumentsTooLong(tool string, size, most int) *toolscript.ToolError {
	return tooLong("arguments", tool, size, most, toolscript.SentNo)
}

func tooLong(what, tool string, size, most int, sent toolscript.Sent) *toolscript.ToolError {
	verb := map[string]string{"answer": "is", "arguments": "are"}[what]
	return &toolscript.ToolError{
		Tool: tool, Code: toolscript.TooLarge, Sent: sent,
		Message: fmt.Sprintf("the %s of %s %s too long: %d bytes, and the limit is %d", what, tool, verb, size, most),
	}
}

// ManyRejections returns the error for a run with more rejected promises than the engine can
// report one by one.
func ManyRejections() *toolscript.RunError {
	return &toolscript.RunError{Name: "Error", Code: toolscript.Threw, Message: "more promises were rejected with no handler than the engine can report; await them, or give them a catch"}
}

// NeverSettled returns the error for a script that awaits a promise which can no longer
// settle.
func NeverSettled() *toolscript.RunError {
	return &toolscript.RunError{Name: "Error", Code: toolscript.Threw, Message: "the script's top-level await never settled"}
}

// ValueTooLarge returns the error for a value of size bytes of JSON that exceeds limit.
func ValueTooLarge(size int, limit int64) *toolscript.RunError {
	e := toolscript.Fail(toolscript.LimitOutput, fmt.Sprintf(
		"the script's value is %d bytes of JSON, and the limit is %d: return less of it, or print it with console.log", size, limit))
	e.Phase = toolscript.Finalizing
	return e
}
