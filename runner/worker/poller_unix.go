//go:build unix && !linux

package worker

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// A poller waits for the pipes of a sandbox.
type poller struct{}

func newPoller() (poller, error) { return poller{}, nil }

// wait waits until there is something to read or, if room is true, until something can be
// written. It reports whether there is something to read.
func (poller) wait(within time.Duration, room bool) (in bool, err error) {
	state := []unix.PollFd{{Fd: inFD, Events: unix.POLLIN}}
	if room {
		state = append(state, unix.PollFd{Fd: outFD, Events: unix.POLLOUT})
	}
	end := time.Now().Add(min(within, forever))
	for {
		left := min(max(time.Until(end), 0), time.Hour)
		n, err := unix.Poll(state, int((left+time.Millisecond-1)/time.Millisecond))
		if err != nil && !errors.Is(err, unix.EINTR) {
			return false, err
		}
		if n > 0 || left == 0 {
			return n > 0 && state[0].Revents != 0, nil
		}
	}
}
