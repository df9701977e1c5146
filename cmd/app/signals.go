package app

import (
	"context"
	"os"
	"syscall"
	"time"

	"github.com/toolscript/toolscript/cmd/terminal"
)

// HangupSignals returns a channel that receives each SIGHUP. The command then no longer ends
// at SIGHUP, unless its terminal was closed. Signals that arrive while one is waiting
// count as one.
func (a *App) HangupSignals() <-chan struct{} {
	hangups := make(chan struct{}, 1)
	a.hangup.Store(&hangups)
	return hangups
}

// takesHangup passes a signal to HangupSignals, and reports whether it did.
func (a *App) takesHangup(sig os.Signal) bool {
	hangups := a.hangup.Load()
	if sig != syscall.SIGHUP || hangups == nil || terminal.Gone(a.Stderr) {
		return false
	}
	select {
	case *hangups <- struct{}{}:
	default:
	}
	return true
}

// Interrupts returns a channel that the next SIGINT closes. The command then goes on.
func (a *App) Interrupts() <-chan struct{} {
	next := make(chan struct{})
	a.breaks.Store(&next)
	return next
}

// takesInterrupt passes a signal to Interrupts, and reports whether it did.
func (a *App) takesInterrupt(sig os.Signal) bool {
	if sig != os.Interrupt {
		return false
	}
	next := a.breaks.Swap(nil)
	if next != nil {
		close(*next)
	}
	return next != nil
}

// oneSignal is the time after the first signal in which another signal counts as the
// same request: timeout(1) sends a signal to the command and then to its process group.
const oneSignal = 500 * time.Millisecond

// HandleSignals ends the command at the first signal and the process at the second, in
// case the shutdown hangs.
func (a *App) HandleSignals(cancel context.CancelCauseFunc, ended <-chan struct{}) {
	var stopping time.Time
	for {
		select {
		case sig := <-a.Signals:
			stop := &SignalError{Signal: sig}
			switch {
			case a.takesHangup(sig), a.takesInterrupt(sig):
			case stopping.IsZero():
				stopping = time.Now()
				cancel(stop)
			case time.Since(stopping) > oneSignal:
				a.Exit(stop.Code())
				return
			}
		case <-ended:
			return
		}
	}
}
