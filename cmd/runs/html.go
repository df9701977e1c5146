package runs

import (
	"bufio"
	_ "embed"
	"fmt"
	"html"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/internal/texts"
)

// page is the page up to its heading. {{title}} stands for the run.
//
//go:embed page.html
var page string

// fewCalls is the number of calls up to which rows alone give an overview. With more calls,
// the file begins with a picture of all calls.
const fewCalls = 60

// HTML writes one file without scripts that loads nothing else. Its texts come from the
// audit, which has no arguments, results or secrets.
func (w *Waterfall) HTML(to io.Writer) error {
	p, r := sheet{bufio.NewWriter(to)}, w.run
	title, outcome := terminal.OneLine(r.RunID), "bad"
	if r.Outcome == "ok" {
		outcome = "good"
	}
	_, _ = p.to.WriteString(strings.Replace(page, "{{title}}", html.EscapeString(title), 1)) // Flush returns the error
	p.put("<h1>%s</h1>\n<p><code>%s</code> <span class=\"%s\">%s</span> after %s</p>\n", title, terminal.OneLine(r.File), outcome, terminal.OneLine(r.Outcome), duration(r.Ms))
	p.put(`<p class="soft">%s. %s.`, r.StartedAt.UTC().Format("2006-01-02 15:04:05 UTC"), w.counts())
	if w.more > 0 {
		p.put(" The last %s calls are left out.", strconv.Itoa(w.more))
	}
	p.put("</p>\n")
	if len(w.bars) > 0 {
		p.put(legend)
	}
	if len(w.bars) > fewCalls {
		w.overview(p)
	}
	if len(w.bars) > 0 {
		p.put(`<div class="axis"><span>Call</span><div><span>0</span><span>%s</span></div><span class="took">Took</span></div>`+"\n", duration(w.ms))
	}
	for i := range w.bars {
		w.row(p, &w.bars[i])
	}
	p.put("</main></body>\n</html>\n")
	return p.to.Flush()
}

const legend = `<ul class="legend"><li><i class="work"></i>call</li><li><i class="slot"></i>waits for its turn or its server</li>` +
	`<li><i class="approval"></i>waits for an approval</li><li><i class="failed"></i>failed</li></ul>` + "\n"

// sheet is a page that is being written. Flush returns the first error of a write.
type sheet struct{ to *bufio.Writer }

// put writes a part of the page, with every value escaped.
func (s sheet) put(format string, values ...string) {
	_, _ = s.to.WriteString(texts.HTML(format, values...))
}

// row writes a call.
func (w *Waterfall) row(p sheet, b *bar) {
	class, mark := "", ""
	if b.failed() {
		class, mark = ` class="failed"`, "✗ "
	}
	p.put("<details"+class+`><summary><span class="name">%s %s</span><span class="track">`, terminal.OneLine(b.Call), terminal.OneLine(b.Tool))
	part := func(state string, from, ms float64) {
		p.put(`<i class="%s" style="left:%s%%;width:%s%%"></i>`, state, percent(from, w.ms), percent(ms, w.ms))
	}
	for _, s := range b.parts {
		part(s.state, s.from, s.to-s.from)
	}
	if len(b.parts) == 0 { // a call that took no time
		part(work, b.from, 0)
	}
	p.put(`</span><span class="took">%s%s</span></summary><dl>`, mark, duration(b.to-b.from))
	for _, fact := range b.facts() {
		if fact[1] != "" {
			p.put("<dt>%s</dt><dd>%s</dd>", fact[0], terminal.OneLine(fact[1]))
		}
	}
	p.put("</dl></details>\n")
}

// facts returns what is known about a call; a text of "" is unknown.
func (b *bar) facts() [][2]string {
	wait := func(ms float64) string {
		if ms <= 0 {
			return ""
		}
		return duration(ms)
	}
	return [][2]string{
		{"Tool", b.Tool}, {"Made", duration(b.from) + " after the start"}, {"Ended", b.Time.UTC().Format(time.RFC3339Nano)}, {"Outcome", b.Outcome}, {"Error", b.Error},
		{"Sent", string(b.Sent)}, {"Waited for its turn in the run", wait(b.QueuedMs)}, {"Waited for an approval", wait(b.ApprovalMs)}, {"Approval", b.Approval},
		{"Waited for its server or turn", wait(b.SlotMs)}, {"Host", b.Host}, {"Arguments", ShortData(b.Args)}, {"Result", ShortData(b.Result)},
	}
}

// percent returns a part in percent of the width of the track.
func percent(ms, of float64) string {
	if of <= 0 {
		return "0"
	}
	return fmt.Sprintf("%.3f", 100*ms/of)
}

// highest is the maximum height of the overview, unless its lanes would become thinner than one unit.
const highest = 160

// overview draws all calls, 1000 units wide, without their waits for a turn in the run.
func (w *Waterfall) overview(p sheet) {
	lane := within(highest/float64(max(w.lanes, 1)), 1, 12)
	p.put(`<svg viewBox="0 0 1000 %s" role="img" aria-label="All calls over time, without their waits for a turn in the run">`+patterns, strconv.Itoa(int(lane*float64(w.lanes))+1))
	for _, failed := range []bool{false, true} { // draw failed calls above the others
		class := ""
		if failed {
			class = " failed"
		}
		for i := range w.bars {
			b := &w.bars[i]
			if b.failed() != failed {
				continue
			}
			for _, s := range b.parts {
				if s.to > b.began {
					p.put(`<rect class="%s" x="%s" y="%s" width="%s" height="%s"/>`+"\n", s.state+class, units(1000*s.from/w.ms), units(lane*float64(b.lane)),
						units(max(1, 1000*(s.to-s.from)/w.ms-0.5)), units(lane*0.9))
				}
			}
		}
	}
	p.put("</svg>\n")
}

const patterns = "\n" + `<defs><pattern id="slot" width="5" height="5" patternUnits="userSpaceOnUse"><path d="M0 5L5 0" stroke-width="1.2"/></pattern>` +
	`<pattern id="approval" width="5" height="5" patternUnits="userSpaceOnUse"><path d="M0 0L5 5" stroke-width="1.2"/></pattern></defs>` + "\n"

func units(n float64) string { return strconv.FormatFloat(n, 'f', 2, 64) }
