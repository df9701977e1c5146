package quickjs

import (
	"encoding/json"
	"strconv"

	"github.com/toolscript/toolscript/runner"
)

// call(call, server, tool, arguments as JSON, whether it is a task, idempotency key or
// nothing) → 1, or 0 if too many calls are in flight
func (r *run) beginCall(a arguments) handle {
	return r.send(a, json.RawMessage(a.text(3)), a.optional(5))
}

// notPlain is the answer of callPlain to arguments that need the engine.
const notPlain = 2

// plainArguments is the size in bytes up to which the host encodes the arguments of a call.
const plainArguments = 1 << 20

// callPlain(call, server, tool, arguments, whether it is a task) → as call, or notPlain
func (r *run) beginPlainCall(a arguments) handle {
	args := json.RawMessage("{}")
	switch tag, _ := r.instance.heap().value(uint32(a.at(3))); {
	case tag == tagUndefined:
	case tag != tagObject:
		return r.integer(notPlain)
	default:
		var ok bool
		if args, ok = r.instance.plainJSON(a.at(3), plainArguments); !ok {
			return r.integer(notPlain)
		}
	}
	return r.send(a, args, "")
}

// send begins a call with the first arguments of call.
func (r *run) send(a arguments, args json.RawMessage, key string) handle {
	begun := r.instance.heap().frames(r.instance.entries.runtime)
	if limit := r.job.Limits.ToolCalls; limit > 0 && int64(len(r.calls.keep)) >= limit {
		r.ended = begun
		return r.integer(0) // the limit of calls in flight is reached
	}
	id := a.integer(0)
	task := a.integer(4) != 0
	r.calls.add(id, task, begun)
	r.host.Call(runner.Call{
		CallID: strconv.Itoa(id),
		ID:     r.names.ID(a.integer(1), a.text(2)),
		Args:   args,
		Task:   task,
		Key:    key,
	})
	return r.integer(1)
}
