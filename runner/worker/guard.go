package worker

import (
	"errors"
	"log/slog"
	"runtime/debug"
)

// errPanic is the error of what a panic has ended. Its cause is in the log, with
// the stack; neither is for the eyes of a script.
var errPanic = errors.New("the gateway failed in this run; its log says why")

// guard runs f so that a panic in it ends f alone. Every goroutine of the
// gateway's side is under one: it handles what a worker says, and a worker may
// be in the hands of its script.
func guard(log *slog.Logger, doing string, f func()) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			logPanic(log, doing, cause)
			err = errPanic
		}
	}()
	f()
	return nil
}

// logPanic is called by what has recovered, while the stack is still there.
func logPanic(log *slog.Logger, doing string, cause any, more ...any) {
	log.Error("panic beside a script worker", append(more,
		slog.String("doing", doing), slog.Any("cause", cause), slog.String("stack", string(debug.Stack())))...)
}
