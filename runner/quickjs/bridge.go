package quickjs

import (
	"encoding/json"
	"strconv"

	"github.com/toolscript/toolscript/runner"
)

// operation implements hooks.
func (r *run) operation(name []byte, args []handle) handle {
	op := operations[string(name)]
	if op == nil {
		r.instance.throw("the host has no operation " + strconv.Quote(string(name)))
		return 0
	}
	return op(r, arguments{r.instance, args})
}

// arguments are the arguments of an operation. The engine frees the handles.
type arguments struct {
	instance *instance
	handles  []handle
}

// at returns argument i, or 0 if it is missing. The functions of the engine treat 0 as
// undefined, except functions that read numbers.
func (a arguments) at(i int) handle {
	if i < len(a.handles) {
		return a.handles[i]
	}
	return 0
}

func (a arguments) text(i int) string    { return a.instance.text(a.at(i)) }
func (a arguments) integer(i int) int    { return a.instance.integer(a.at(i)) }
func (a arguments) number(i int) float64 { return a.instance.number(a.at(i)) }

func (r *run) integer(n int) handle { return r.instance.newNumber(float64(n)) }

// write(stream, text)
func (r *run) write(a arguments) handle {
	r.host.Write(runner.Stream(a.integer(0)), a.text(1))
	return r.instance.undefined()
}

// server(name) → index or -1
func (r *run) findServer(a arguments) handle { return r.integer(r.names.Server(a.text(0))) }

// tool(server, name) → index, -1, or -2 for any tool of a server without tools
func (r *run) findTool(a arguments) handle { return r.integer(r.names.Tool(a.integer(0), a.text(1))) }

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

// json(value) → 1 if the host has encoded the value of the script, 0 if the prelude must do so
func (r *run) keepJSON(a arguments) handle {
	var ok bool
	if r.value, ok = r.instance.plainJSON(a.at(0), r.job.Limits.ValueBytes); !ok {
		r.value = nil
		return r.integer(0)
	}
	return r.integer(1)
}
