//go:build !unix

package tool

// openFlags is empty: an open does not wait for the other end of a pipe here.
const openFlags = 0
