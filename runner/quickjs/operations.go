package quickjs

import (
	"crypto/rand"
	"encoding/json"
	"time"

	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/scripterror"
)

// operations maps names to the host functions of the prelude. The prelude calls them while the
// script runs. They read strings and numbers, create values and throw, but never run code of the
// script. The comment of such a function shows how JavaScript calls it: name(arguments) → result.
var operations = map[string]func(r *run, a arguments) handle{
	"write":         (*run).write,
	"server":        (*run).findServer,
	"tool":          (*run).findTool,
	"shown":         (*run).isShown,
	"pages":         (*run).hasPages,
	"names":         (*run).listNames,
	"missing":       (*run).explainMissing,
	"call":          (*run).beginCall,
	"callPlain":     (*run).beginPlainCall,
	"cancel":        (*run).cancelCall,
	"await":         (*run).awaitCall,
	"stdin":         (*run).askStdin,
	"timer":         (*run).setTimer,
	"clear":         (*run).clearTimer,
	"exit":          (*run).exitNow,
	"now":           (*run).sinceStart,
	"random":        (*run).random,
	"encode":        (*run).encode,
	"decode":        (*run).decode,
	"digest":        (*run).digest,
	"hmac":          (*run).hmac,
	"convert":       (*run).convert,
	"converted":     (*run).converted,
	"trace":         (*run).mapTrace,
	"frames":        (*run).framesOfCall,
	"className":     (*run).className,
	"proxyTarget":   (*run).proxyTarget,
	"json":          (*run).keepJSON,
	"held":          (*run).findHeld,
	"promiseState":  (*run).promiseState,
	"promiseResult": (*run).promiseResult,
	"locales":       (*run).findLocales,
	"resolveFormat": (*run).resolveFormat,
	"formatText":    (*run).formatText,
	"formatParts":   (*run).formatParts,
	"compareTexts":  (*run).compareTexts,
	"changeCase":    (*run).changeCase,
	"localOffset":   (*run).localOffset,
	"zoneOffset":    (*run).zoneOffsetAt,
	"assumeZone":    (*run).assumeZone,
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

// optional returns a text argument, or "" if it is missing.
func (a arguments) optional(i int) string {
	if i >= len(a.handles) {
		return ""
	}
	return a.text(i)
}

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

// shown(server or -1, name) → 1 if the script may see the name, else 0
func (r *run) isShown(a arguments) handle {
	if r.names.Shown(a.integer(0), a.text(1)) {
		return r.integer(1)
	}
	return r.integer(0)
}

// pages(server or -1, name) → 1 if the tool has the method pages, else 0
func (r *run) hasPages(a arguments) handle {
	if r.names.Pages(a.integer(0), a.text(1)) {
		return r.integer(1)
	}
	return r.integer(0)
}

// names(server or -1) → array of names, as JSON
func (r *run) listNames(a arguments) handle {
	list, _ := json.Marshal(r.names.Idents(a.integer(0))) // never fails for strings
	return r.instance.newString(string(list))
}

// missing(server or -1, name) → message
func (r *run) explainMissing(a arguments) handle {
	return r.instance.newString(scripterror.Missing(r.names, a.integer(0), a.text(1)))
}

// stdin() → 1 if a chunk will arrive, 0 at the end of standard input
func (r *run) askStdin(arguments) handle { return r.integer(r.input.ask(r.host)) }

// timer(id, milliseconds, whether it keeps the script alive)
func (r *run) setTimer(a arguments) handle {
	r.timers.add(a.integer(0), a.number(1), a.integer(2) != 0)
	return r.instance.undefined()
}

// clear(id)
func (r *run) clearTimer(a arguments) handle {
	r.timers.remove(a.integer(0))
	return r.instance.undefined()
}

// exit(code): ends the script and does not return
func (r *run) exitNow(a arguments) handle {
	r.exitCode = a.integer(0)
	r.instance.unwind(errExit)
	return 0
}

// now() → milliseconds since the run began
func (r *run) sinceStart(arguments) handle {
	return r.instance.newNumber(float64(r.watch.elapsed()) / float64(time.Millisecond))
}

// mostRandom is the limit of crypto.getRandomValues, in bytes.
const mostRandom = 65536

// random(length) → Uint8Array
func (r *run) random(a arguments) handle {
	data := make([]byte, min(max(a.integer(0), 0), mostRandom))
	_, _ = rand.Read(data) // never fails (crypto/rand)
	return r.instance.newBytes(data)
}

// encode(text) → Uint8Array of its UTF-8
func (r *run) encode(a arguments) handle {
	data, release := r.instance.utf8(a.at(0))
	defer release()
	return r.instance.newBytes(data)
}

// trace(stack) → the stack trace with positions in the user's text
func (r *run) mapTrace(a arguments) handle {
	return r.instance.newString(r.source.Trace(a.text(0)))
}

// className(object) → the class name in the engine, or Proxy for a proxy, for which the
// engine returns the class of its target
func (r *run) className(a arguments) handle {
	if r.instance.call(fnIsProxy, uint64(a.at(0))) != 0 {
		return r.instance.newString("Proxy")
	}
	return handle(r.instance.call(fnClassName, uint64(a.at(0))))
}

// proxyTarget(proxy) → its target
func (r *run) proxyTarget(a arguments) handle {
	return handle(r.instance.call(fnProxyTarget, uint64(a.at(0))))
}

// held(promises, their results) → bit mask of the promises that the script may still reach
func (r *run) findHeld(a arguments) handle {
	return r.integer(r.instance.heap().held(a.at(0), a.at(1)))
}

// promiseState(value) → -1 no promise, 0 pending, 1 fulfilled, 2 rejected
func (r *run) promiseState(a arguments) handle {
	return r.integer(int(int32(r.instance.call(fnPromiseState, uint64(a.at(0))))))
}

// promiseResult(promise) → its value or reason
func (r *run) promiseResult(a arguments) handle {
	return handle(r.instance.call(fnPromiseResult, uint64(a.at(0))))
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
