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
	if !handled {
		r.unheard = append(r.unheard, rejection{promise, reason})
		return
	}
	address := r.guest.call(fnValuePointer, uint64(promise))
	for i, u := range r.unheard {
		if r.guest.call(fnValuePointer, uint64(u.promise)) == address {
			r.guest.free(u.promise, u.reason)
			r.unheard = append(r.unheard[:i], r.unheard[i+1:]...)
			break
		}
	}
	r.guest.free(promise, reason)
}
