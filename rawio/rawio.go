// Package rawio reads and writes pipes without a notice to the scheduler of Go.
//
// The packages os and syscall announce every system call to the scheduler, because it may
// block. In a process that is otherwise idle, the announcement wakes the monitor thread of
// the runtime, which looks for blocked threads and then sleeps again: two to four more
// system calls, and more time than the read itself. A call on a descriptor that does not
// block ends at once, so this package makes it without the announcement. If there is nothing
// to read, or no room to write, the goroutine waits in the poller of Go, as with package os.
//
// On systems other than Linux, and for descriptors that may block, the functions are those
// of os and syscall.
package rawio
