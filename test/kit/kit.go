// Package kit has what many test packages need: terminals, buffers for concurrent use, waiting with one
// bound, and test binaries that are also other programs. It imports no other package of this module, so
// that every test package can import it. Test servers are in test/fixture.
package kit
