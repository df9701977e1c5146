// Package python has released Python servers, and small ones on each SDK, go through the proofs of a server:
// connect, types, scripts, idle time, SIGKILL, confinement and sharing. The tests have the build tag proof;
// run them with `task python`.
package python
