package runs

import (
	"fmt"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/texts"
)

// Limits of the output of the script of an answer, for lines and for texts of emitProgress: the number that may come
// at once, and the number per second after that. The rest is dropped, and a warning has its amount.
const (
	linesAtOnce    = 500
	linesPerSecond = 100
	textsAtOnce    = 100
	textsPerSecond = 10
	maxReport      = 4 << 10 // bytes of a text of emitProgress; the rest is cut off
)

// pace is a leaky bucket: it lets atOnce items pass at once, and perSecond items per second after that.
type pace struct {
	atOnce, perSecond float64
	used              float64 // used part of atOnce
	at                time.Time
	dropped           int
}

// pass reports whether one more item may pass.
func (p *pace) pass() bool {
	now := time.Now()
	p.used = max(0, p.used-now.Sub(p.at).Seconds()*p.perSecond)
	p.at = now
	if p.used+1 > p.atOnce {
		p.dropped++
		return false
	}
	p.used++
	return true
}

// paces are the limits of one run.
type paces struct{ lines, texts pace }

func newPaces() *paces {
	now := time.Now()
	return &paces{
		lines: pace{atOnce: linesAtOnce, perSecond: linesPerSecond, at: now},
		texts: pace{atOnce: textsAtOnce, perSecond: textsPerSecond, at: now},
	}
}

// keep returns the lines of a text that may pass. The first dropped line is replaced by a note.
func (p *paces) keep(text string) string {
	var kept strings.Builder
	dropping := p.lines.dropped > 0
	for line := range strings.Lines(text) {
		if p.lines.pass() {
			kept.WriteString(line)
		} else if !dropping {
			dropping = true
			kept.WriteString("[lines dropped]\n")
		}
	}
	return kept.String()
}

// report emits a text of context.telemetry.emitProgress. The caller holds mu.
func (o *console) report(text string) {
	if o.paces == nil || !o.paces.texts.pass() { // only scripts of answers have context
		return
	}
	if len(text) > maxReport {
		text = texts.Short(text, maxReport)
	}
	o.events.emit(toolscript.Event{Type: toolscript.EventReport, Message: text})
}

// warnDropped warns of dropped lines and texts.
func (w *work) warnDropped() {
	lines, texts := w.console.dropped()
	if lines > 0 {
		w.warn(fmt.Sprintf("%d lines of console output were dropped: at most %d at once and %d a second are kept", lines, linesAtOnce, linesPerSecond))
	}
	if texts > 0 {
		w.warn(fmt.Sprintf("%d texts of emitProgress were dropped: at most %d at once and %d a second are shown", texts, textsAtOnce, textsPerSecond))
	}
}

func (o *console) dropped() (lines, texts int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.paces == nil {
		return 0, 0
	}
	return o.paces.lines.dropped, o.paces.texts.dropped
}
