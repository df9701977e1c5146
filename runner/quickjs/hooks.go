package quickjs

import (
	"crypto/rand"
	"time"
)

// interrupt implements hooks.
func (r *run) interrupt(outOfFuel bool) bool {
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
	_, offset := time.Unix(unix, 0).In(r.zone).Zone()
	return offset
}

// rejected implements hooks.
func (r *run) rejected(promise, reason box, handled bool) {
	address := r.guest.call(fnValuePointer, uint64(promise))
	if !handled {
		r.unheard.add(address, &rejection{promise: promise, reason: reason})
		return
	}
	if heard := r.unheard.hear(address); heard != nil {
		r.guest.free(heard.promise, heard.reason)
	}
	r.guest.free(promise, reason)
}
