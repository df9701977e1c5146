package quickjs

import (
	"crypto/rand"
	"time"
)

// The engine calls the functions below while it runs. They must not run code of the script. r is nil while the engine
// boots and between scripts.

// bootTime is the time of the clock while an engine boots. Random bytes are then zeros, so
// that all images are equal and contain no data of their process.
var bootTime = time.Unix(1_700_000_000, 0)

// interrupt reports whether to stop. The engine calls it regularly, and, if it is out of
// fuel, from anywhere in its C code.
func (r *run) interrupt(outOfFuel bool) bool {
	if r == nil {
		return false
	}
	r.host.Poll()
	if outOfFuel {
		return r.watch.overdue()
	}
	return r.watch.due()
}

// now returns the time for the engine's clocks.
func (r *run) now() time.Time {
	if r == nil {
		return bootTime
	}
	return time.Now()
}

// fill fills buffer with random bytes for the engine.
func (r *run) fill(buffer []byte) {
	if r == nil {
		clear(buffer)
		return
	}
	_, _ = rand.Read(buffer) // never fails (crypto/rand)
}

// zoneOffset returns the seconds east of UTC at a time.
func (r *run) zoneOffset(unix int64) int {
	switch {
	case r == nil:
		return 0
	case r.assumed != nil:
		return *r.assumed
	}
	_, offset := time.Unix(unix, 0).In(r.zone).Zone()
	return offset
}

// module returns the code of a module; ok is false if there is no such module.
func (r *run) module(name string) (code string, ok bool) {
	if r == nil {
		return "", false
	}
	return r.source.Code(name)
}

// rejected is called when a promise is rejected without a handler, and again, with
// handled, when it gets a handler. It owns both handles.
func (r *run) rejected(promise, reason handle, handled bool) {
	if r == nil {
		return
	}
	address := r.instance.call(fnValuePointer, uint64(promise))
	if !handled {
		r.unhandledRejections.add(address, &rejection{promise: promise, reason: reason})
		return
	}
	if removed := r.unhandledRejections.takeHandled(address); removed != nil {
		r.instance.free(removed.promise, removed.reason)
	}
	r.instance.free(promise, reason)
}
