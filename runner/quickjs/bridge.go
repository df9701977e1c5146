package quickjs

import (
	"crypto/rand"
	"encoding/json"
	"strconv"
	"time"

	"github.com/toolscript/toolscript/runner"
)

// operations are what the prelude can ask of the host, by the name it uses. They
// run while script is running: they read strings and numbers, make values and
// throw, and never run script.
var operations = map[string]func(r *run, a arguments) box{
	"write":         (*run).write,
	"server":        (*run).findServer,
	"tool":          (*run).findTool,
	"shown":         (*run).isShown,
	"names":         (*run).listNames,
	"missing":       (*run).explainMissing,
	"call":          (*run).beginCall,
	"cancel":        (*run).cancelCall,
	"stdin":         (*run).askStdin,
	"timer":         (*run).setTimer,
	"clear":         (*run).clearTimer,
	"exit":          (*run).exitNow,
	"now":           (*run).sinceStart,
	"random":        (*run).random,
	"encode":        (*run).encode,
	"decode":        (*run).decode,
	"trace":         (*run).mapTrace,
	"className":     (*run).className,
	"proxyTarget":   (*run).proxyTarget,
	"promiseState":  (*run).promiseState,
	"promiseResult": (*run).promiseResult,
}

// operation implements hooks.
func (r *run) operation(name []byte, args []box) box {
	op := operations[string(name)]
	if op == nil {
		r.guest.throw("the host has no operation " + strconv.Quote(string(name)))
		return 0
	}
	return op(r, arguments{r.guest, args})
}

// arguments are those of an operation. C frees the boxes.
type arguments struct {
	guest *guest
	boxes []box
}

// at is argument i, or 0, which every function of the engine but the readers of
// numbers takes for undefined.
func (a arguments) at(i int) box {
	if i < len(a.boxes) {
		return a.boxes[i]
	}
	return 0
}

func (a arguments) text(i int) string    { return a.guest.text(a.at(i)) }
func (a arguments) integer(i int) int    { return a.guest.integer(a.at(i)) }
func (a arguments) number(i int) float64 { return a.guest.number(a.at(i)) }

func (r *run) integer(n int) box { return r.guest.newNumber(float64(n)) }

// write(stream, text)
func (r *run) write(a arguments) box {
	r.host.Write(runner.Stream(a.integer(0)), a.text(1))
	return r.guest.undefined()
}

// server(name) → index or -1
func (r *run) findServer(a arguments) box { return r.integer(r.names.Server(a.text(0))) }

// tool(server, name) → index, -1, or -2 for any tool of a server without tools
func (r *run) findTool(a arguments) box { return r.integer(r.names.Tool(a.integer(0), a.text(1))) }

// shown(server or -1, name) → 1 when it is among the names that the script may see, else 0
func (r *run) isShown(a arguments) box {
	if r.names.Shown(a.integer(0), a.text(1)) {
		return r.integer(1)
	}
	return r.integer(0)
}

// names(server or -1) → array of names, as JSON
func (r *run) listNames(a arguments) box {
	list, _ := json.Marshal(r.names.Idents(a.integer(0))) // strings always have JSON
	return r.guest.newString(string(list))
}

// missing(server or -1, name) → message
func (r *run) explainMissing(a arguments) box {
	return r.guest.newString(r.names.Missing(a.integer(0), a.text(1)))
}

// call(call, server, name of the tool, arguments as JSON, whether it is a task) → whether there is room for it
func (r *run) beginCall(a arguments) box {
	if limit := r.job.Limits.ToolCalls; limit > 0 && int64(len(r.calls)) >= limit {
		return r.integer(0) // more calls under way than the run may make in all
	}
	id := a.integer(0)
	r.calls[id] = struct{}{}
	r.host.Call(runner.Call{
		CallID: strconv.Itoa(id),
		ID:     r.names.ID(a.integer(1), a.text(2)),
		Args:   json.RawMessage(a.text(3)),
		Task:   a.integer(4) != 0,
	})
	return r.integer(1)
}

// cancel(call)
func (r *run) cancelCall(a arguments) box {
	if _, known := r.calls[a.integer(0)]; known {
		r.host.Cancel(strconv.Itoa(a.integer(0)))
	}
	return r.guest.undefined()
}

// stdin() → 1 when a chunk will be fed, 0 at the end of standard input
func (r *run) askStdin(arguments) box { return r.integer(r.input.ask(r.host)) }

// timer(id, milliseconds, whether the script ends without it)
func (r *run) setTimer(a arguments) box {
	r.timers.add(a.integer(0), a.number(1), a.integer(2) != 0)
	return r.guest.undefined()
}

// clear(id)
func (r *run) clearTimer(a arguments) box {
	r.timers.remove(a.integer(0))
	return r.guest.undefined()
}

// exit(code) does not return to the script.
func (r *run) exitNow(a arguments) box {
	r.exitCode = a.integer(0)
	r.guest.unwind(errExit)
	return 0
}

// now() → milliseconds since the run began
func (r *run) sinceStart(arguments) box {
	return r.guest.newNumber(float64(r.watch.elapsed()) / float64(time.Millisecond))
}

// mostRandom is what crypto.getRandomValues allows.
const mostRandom = 65536

// random(length) → Uint8Array
func (r *run) random(a arguments) box {
	data := make([]byte, min(max(a.integer(0), 0), mostRandom))
	_, _ = rand.Read(data) // never fails (crypto/rand)
	return r.guest.newBytes(data)
}

// encode(text) → Uint8Array of its UTF-8
func (r *run) encode(a arguments) box {
	data, release := r.guest.utf8(a.at(0))
	defer release()
	return r.guest.newBytes(data)
}

// decode(bytes, fatal) → text, or undefined when it is fatal that they are no
// UTF-8
func (r *run) decode(a arguments) box {
	text, ok := decodeUTF8(r.guest.bytesOf(a.at(0)))
	if !ok && a.integer(1) != 0 {
		return r.guest.undefined()
	}
	return r.guest.newString(text)
}

// trace(stack) → the stack in terms of the user's text
func (r *run) mapTrace(a arguments) box {
	text, _, _ := r.source.Trace(a.text(0))
	return r.guest.newString(text)
}

// className(object) → the engine's name for its class, and Proxy for a proxy,
// which the engine calls by the class of its target
func (r *run) className(a arguments) box {
	if r.guest.call(fnIsProxy, uint64(a.at(0))) != 0 {
		return r.guest.newString("Proxy")
	}
	return box(r.guest.call(fnClassName, uint64(a.at(0))))
}

// proxyTarget(proxy) → its target
func (r *run) proxyTarget(a arguments) box {
	return box(r.guest.call(fnProxyTarget, uint64(a.at(0))))
}

// promiseState(value) → -1 no promise, 0 pending, 1 fulfilled, 2 rejected
func (r *run) promiseState(a arguments) box {
	return r.integer(int(int32(r.guest.call(fnPromiseState, uint64(a.at(0))))))
}

// promiseResult(promise) → its value or reason
func (r *run) promiseResult(a arguments) box {
	return box(r.guest.call(fnPromiseResult, uint64(a.at(0))))
}
