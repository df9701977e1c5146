package terminal

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/mattn/go-runewidth"
)

// patience is the time after which a terminal shows that a command is waiting.
const patience = time.Second

// Notice is the last line of a terminal, which shows why a command waits. It appears after
// patience, counts the seconds, and disappears at the end of the wait or before other
// output. The zero value shows nothing. It is safe for concurrent use.
type Notice struct {
	mu      sync.Mutex
	to      io.Writer // nil if stderr is not a terminal
	columns func() int
	text    string
	since   time.Time
	ticker  *time.Timer
	shown   bool
}

// NewNotice returns a notice on stderr. It shows nothing if stderr is not a terminal.
func NewNotice(stderr io.Writer) *Notice {
	if !Is(stderr) || Columns(stderr) == 0 {
		return &Notice{}
	}
	return &Notice{to: stderr, columns: func() int { return Columns(stderr) }}
}

// Show sets the text. The seconds count from the first Show of a wait.
func (n *Notice) Show(text string) {
	if !n.Shown() {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.text = OneLine(text)
	if n.ticker == nil {
		n.since = time.Now()
		n.ticker = time.AfterFunc(patience, n.tick)
	} else if n.shown {
		n.draw()
	}
}

func (n *Notice) tick() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ticker == nil {
		return
	}
	n.draw()
	n.ticker.Reset(time.Second)
}

func (n *Notice) draw() {
	seconds := fmt.Sprintf(" (%d s)", int(time.Since(n.since).Seconds()))
	text := runewidth.Truncate("toolscript: "+n.text, n.columns()-len(seconds)-1, "…")
	// A write error only hides the notice.
	_, _ = io.WriteString(n.to, "\r\x1b[K"+text+seconds)
	n.shown = true
}

// Shown reports whether notices are shown, which needs a terminal.
func (n *Notice) Shown() bool { return n != nil && n.to != nil }

// Hide removes the line before other output. It appears again within a second if the wait
// continues.
func (n *Notice) Hide() {
	if !n.Shown() {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.erase()
}

func (n *Notice) erase() {
	if n.shown {
		_, _ = io.WriteString(n.to, "\r\x1b[K") // as in draw
		n.shown = false
	}
}

// End ends the wait and removes the line.
func (n *Notice) End() {
	if !n.Shown() {
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
