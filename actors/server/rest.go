package server

import (
	"time"

	"github.com/toolscript/toolscript"
)

// A server that does not come up, or never stays up, is let rest: starting it
// over and over costs the machine more than it can bring.
const (
	patience   = 8                // tries in a row, which take about a minute and a half
	restTime   = 5 * time.Minute  // between two tries from then on
	probeAfter = 30 * time.Second // of rest, a call is reason enough to try
)

// resting reports whether the server waits longer than the backoff would.
func (s *Server) resting() bool { return s.state == toolscript.Backoff && s.attempt >= patience }

// probe tries a resting server again because somebody needs it.
func (s *Server) probe() {
	if s.resting() && time.Since(s.since) >= probeAfter {
		s.timer.Stop()
		s.connect()
	}
}
