// Package budget limits the bytes of server answers that a gateway holds at the
// same time. Code that forwards an answer creates a context with Hold. Code that
// reads the answer takes the bytes from a Budget under that context, and waits if too
// few are free. A Cache keeps values up to a size.
package budget
