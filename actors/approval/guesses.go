package approval

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/toolscript/toolscript"
)

const (
	freeWrong    = 5                // wrong codes before the first pause
	firstPause   = 2 * time.Second  // it doubles with each further wrong code
	longestPause = 10 * time.Minute // bound of the doubled pause
	forgetWrong  = time.Hour        // after this time without a wrong code, they are forgotten
)

// guesses counts the wrong codes of all requests together: a program can make any number of
// requests, so a bound for each request would not prevent guessing. A right code does not
// reset the count, because a harmless request that a person allows must not buy more guesses.
type guesses struct {
	wrong int
	last  time.Time // time of the last wrong code
	until time.Time // end of the pause; no code is compared before
}

// add counts a wrong code, and returns the pause after it.
func (g *guesses) add() time.Duration {
	now := time.Now()
	if now.Sub(g.last) > forgetWrong {
		g.wrong = 0
	}
	g.wrong++
	g.last = now
	if g.wrong < freeWrong {
		return 0
	}
	pause := longestPause
	if doubled := g.wrong - freeWrong; doubled < 16 {
		pause = min(firstPause<<doubled, longestPause)
	}
	g.until = now.Add(pause)
	return pause
}

// pause returns the time until codes are compared again; 0 if there is no pause.
func (g *guesses) pause() time.Duration { return max(0, time.Until(g.until)) }

// paused returns the error for a code that is given during a pause.
func (g *guesses) paused() error {
	pause := g.pause().Round(time.Second) + time.Second // rounded up
	return &toolscript.Error{Kind: toolscript.Busy, RetryAfter: pause, Err: fmt.Errorf(
		"no codes are accepted for %s, because %d were wrong; requests can be denied, and allowed on an operator page that has a code already", pause, g.wrong)}
}

// count counts a wrong code, and tells the person when a pause begins.
func (a *Approvals) count() {
	pause := a.guesses.add()
	if pause == 0 {
		return
	}
	a.options.Log.Warn("wrong codes for approvals", slog.Int("codes", a.guesses.wrong), slog.Duration("pause", pause))
	if a.options.Notice != nil {
		text := fmt.Sprintf("%d wrong codes for approvals; no codes are accepted for %s. If you did not type them, a program is guessing", a.guesses.wrong, pause)
		a.aside("notice not shown", func() { a.options.Notice(text) })
	}
}
