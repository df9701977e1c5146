// Package guard keeps a panic in the gateway's side of a run from ending more than
// that run.
package guard

import (
	"errors"
	"log/slog"
	"runtime/debug"
)

// ErrPanic is the error of what a panic has ended. Its cause is in the log, with
// the stack; neither is for the eyes of a script.
var ErrPanic = errors.New("the gateway failed in this run; its log says why")

// Do runs f so that a panic in it ends f alone. Every goroutine of the
// gateway's side is under one: it handles what a script's process says, which may
// be in the hands of its script.
func Do(log *slog.Logger, doing string, f func()) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			Log(log, doing, cause)
			err = ErrPanic
		}
	}()
	f()
	return nil
}

// Log is called by what has recovered, while the stack is still there.
func Log(log *slog.Logger, doing string, cause any, more ...any) {
	log.Error("panic beside a script worker", append(more,
		slog.String("doing", doing), slog.Any("cause", cause), slog.String("stack", string(debug.Stack())))...)
}
