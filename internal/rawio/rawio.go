// Package rawio reads and writes pipes without notifying the scheduler of Go, and the frames that
// processes exchange over them.
//
// The packages os and syscall announce every system call to the scheduler, because the call
// may block. In an idle process, the announcement wakes the monitor thread of the runtime,
// which looks for blocked threads and then sleeps again: two to four more system calls, and
// more time than the read itself. A call on a non-blocking descriptor returns at once, so
// this package makes it without the announcement. If there is nothing to read, or no room
// to write, the goroutine waits in Go's poller, as with package os.
//
// On systems other than Linux, and for descriptors that may block, the functions use os
// and syscall.
package rawio
