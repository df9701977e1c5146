package quickjs

import (
	"crypto/rand"
	"time"
)

// interrupt implements hooks.
func (r *run) interrupt(outOfFuel bool) bool {
	r.host.Poll()
	if outOfFuel {
		return r.watch.overdue()
	}
	return r.watch.due()
}

// now implements hooks.
func (r *run) now() time.Time { return time.Now() }

// fill implements hooks.
func (r *run) fill(buffer []byte) { _, _ = rand.Read(buffer) } // never fails (crypto/rand)

// zoneOffset implements hooks.
func (r *run) zoneOffset(unix int64) int {
	if r.assumed != nil {
		return *r.assumed
	}
	_, offset := time.Unix(unix, 0).In(r.zone).Zone()
	return offset
}

// rejected implements hooks.
func (r *run) rejected(promise, reason handle, handled bool) {
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
