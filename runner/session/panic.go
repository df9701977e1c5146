package session

import (
	"errors"
	"log/slog"

	"github.com/toolscript/toolscript/internal/rescue"
)

// ErrPanic is the error of an action that panicked. The log has the cause and the
// stack; scripts see neither.
var ErrPanic = errors.New("the gateway failed in this run; its log says why")

// panicked returns a function for rescue.Catch that calls then with ErrPanic.
func (s *Session) panicked(doing string, then func(error)) func(*rescue.Error) {
	return func(p *rescue.Error) { then(panicked(s.options.Log, doing, p)) }
}

func panicked(log *slog.Logger, doing string, p *rescue.Error) error {
	log.Error("panic in the gateway's side of a script worker",
		slog.String("doing", doing), slog.Any("cause", p.Reason), slog.String("stack", string(p.Stack)))
	return ErrPanic
}
