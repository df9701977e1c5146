package cli

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/mattn/go-runewidth"
)

// patience is the time after which a terminal shows that a command is waiting.
const patience = time.Second

// notice is the last line of a terminal, which shows the reason of a wait. It appears
// after patience, counts the seconds, and disappears at the end of the wait or before
// other output. The zero value shows nothing. It is safe for concurrent use.
type notice struct {
	mu      sync.Mutex
	to      io.Writer // nil: stderr is no terminal
	columns func() int
	text    string
	since   time.Time
	ticker  *time.Timer
	shown   bool
}

// newNotice returns a notice on stderr, or an empty one if stderr is not a terminal.
func newNotice(stderr io.Writer) *notice {
	if !isTerminal(stderr) || columns(stderr) == 0 {
		return &notice{}
	}
	return &notice{to: stderr, columns: func() int { return columns(stderr) }}
}

// waiting shows a text until over is called.
func (a *app) waiting(text string) (over func()) {
	a.notice.show(text)
	return a.notice.end
}

// show sets the text. The seconds count from the first text of a wait.
func (n *notice) show(text string) {
	if !n.visible() {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.text = oneLine(text)
	if n.ticker == nil {
		n.since = time.Now()
		n.ticker = time.AfterFunc(patience, n.tick)
	} else if n.shown {
		n.draw()
	}
}

func (n *notice) tick() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ticker == nil {
		return
	}
	n.draw()
	n.ticker.Reset(time.Second)
}

func (n *notice) draw() {
	seconds := fmt.Sprintf(" (%d s)", int(time.Since(n.since).Seconds()))
	text := runewidth.Truncate("toolscript: "+n.text, n.columns()-len(seconds)-1, "…")
	// A write error only hides the notice.
	_, _ = io.WriteString(n.to, "\r\x1b[K"+text+seconds)
	n.shown = true
}

// visible reports whether there is a terminal.
func (n *notice) visible() bool { return n != nil && n.to != nil }

// hide removes the line before other output. The line appears again within a second if
// the wait goes on.
func (n *notice) hide() {
	if !n.visible() {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.erase()
}

func (n *notice) erase() {
	if n.shown {
		_, _ = io.WriteString(n.to, "\r\x1b[K") // as in draw
		n.shown = false
	}
}

// end ends the wait.
func (n *notice) end() {
	if !n.visible() {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.erase()
	if n.ticker != nil {
		n.ticker.Stop()
		n.ticker = nil
	}
}
