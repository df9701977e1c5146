// Package notify lets a process decide about system calls of the processes that it starts,
// with the user notification of Linux's seccomp. A helper installs a filter that names the
// calls, passes the listener of the filter to its parent, and becomes the program. The parent
// receives each of these calls before the kernel runs it, and answers.
//
// The memory of a caller can change after the parent has read it. Therefore, the decision to
// let a call continue must not depend on data that a pointer of the call refers to, except if
// the parent only observes calls.
package notify

import (
	"errors"
	"syscall"
)

// A Rule names a system call whose caller waits for an answer.
type Rule struct {
	Number uint32
	Checks []Check // all of them must hold; empty: every call waits
}

// A Check compares the lower 32 bits of an argument.
type Check struct {
	Arg  uint32 // index of the argument, from 0
	Mask uint32
	Any  []uint32 // the masked argument must be one of them
}

// An Answer ends the wait of a caller. The zero value lets the call continue.
type Answer struct {
	value int64
	errno syscall.Errno
	done  bool
}

// Continue lets the kernel run the call.
func Continue() Answer { return Answer{} }

// Fail makes the call fail without running it.
func Fail(errno syscall.Errno) Answer { return Answer{errno: errno, done: true} }

// Return makes the call return a value without running it.
func Return(value int64) Answer { return Answer{value: value, done: true} }

var (
	// ErrNotHere means that the system has no user notification.
	ErrNotHere = errors.New("this system does not report system calls to another process")
	// ErrGone means that the caller has ended, or that a signal has interrupted its call.
	ErrGone = errors.New("the system call has ended")
)
