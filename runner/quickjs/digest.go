package quickjs

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // scripts ask for it: Git and older APIs use it
	"crypto/sha256"
	"crypto/sha512"
	"hash"
)

// hashes maps the hashes of crypto.subtle to their constructors.
var hashes = map[string]func() hash.Hash{
	"SHA-1": sha1.New, "SHA-256": sha256.New, "SHA-384": sha512.New384, "SHA-512": sha512.New,
}

// digest(hash, bytes) → Uint8Array
func (r *run) digest(a arguments) handle {
	return r.sum(hashes[a.text(0)](), a.at(1))
}

// hmac(hash, key, bytes) → Uint8Array
func (r *run) hmac(a arguments) handle {
	return r.sum(hmac.New(hashes[a.text(0)], r.instance.bytesOf(a.at(1))), a.at(2))
}

// step is the number of bytes that the host hashes before it checks the limits of the run.
const step = 256 << 10

func (r *run) sum(h hash.Hash, data handle) handle {
	rest := r.instance.bytesOf(data)
	for len(rest) > 0 && !r.stops() {
		n := min(step, len(rest))
		_, _ = h.Write(rest[:n]) // a hash never fails
		rest = rest[n:]
	}
	return r.instance.newBytes(h.Sum(nil))
}

// stops reports whether a host function must stop because a limit of the run was reached.
// Then the instance is dead.
func (r *run) stops() bool {
	r.host.Poll()
	if r.watch.overdue() {
		r.instance.unwind(r.watch.reason)
	}
	return r.instance.err != nil
}
