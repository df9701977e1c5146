package session

import (
	"errors"
	"log/slog"
	"runtime/debug"
)

// ErrPanic is the error of an action that panicked. The log has the cause and the
// stack; scripts see neither.
var ErrPanic = errors.New("the gateway failed in this run; its log says why")

// recovered must be deferred. After a panic it calls then with ErrPanic.
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
