package session

import (
	"errors"
	"log/slog"
	"runtime/debug"
)

// ErrPanic is the error of an action that panicked. The log has the cause and the
// stack; scripts see neither.
var ErrPanic = errors.New("the gateway failed in this run; its log says why")

// Contain runs f. A panic in f is logged with its stack, and is ErrPanic for the
// caller. Every goroutine on the gateway's side of a run is contained, because it
// handles input that a script may control.
func Contain(log *slog.Logger, doing string, f func()) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = panicked(log, doing, cause)
		}
	}()
	f()
	return nil
}

// recovered is deferred: after a panic it calls then with ErrPanic.
func (s *Session) recovered(doing string, then func(error)) {
	if cause := recover(); cause != nil {
		then(panicked(s.options.Log, doing, cause))
	}
}

func panicked(log *slog.Logger, doing string, cause any) error {
	log.Error("panic in the gateway's side of a script worker",
		slog.String("doing", doing), slog.Any("cause", cause), slog.String("stack", string(debug.Stack())))
	return ErrPanic
}
