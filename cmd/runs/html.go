package runs

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"time"

	"github.com/toolscript/toolscript/cmd/terminal"
)

//go:embed page.html
var page string

// fewCalls is the number of calls up to which rows alone give an overview. With more calls,
// the file begins with a picture of all calls.
const fewCalls = 60

// HTML writes one file without scripts that loads nothing else. Its texts come from the
// audit, which has no arguments, results or secrets.
func (w *Waterfall) HTML(to io.Writer) error {
	t := template.Must(template.New("page").Parse(page))
	r := w.run
	data := htmlPage{
		Title: terminal.OneLine(r.RunID), File: terminal.OneLine(r.File), Outcome: terminal.OneLine(r.Outcome), OK: r.Outcome == "ok",
		Started: r.StartedAt.UTC().Format("2006-01-02 15:04:05 UTC"), Took: duration(r.Ms), End: duration(w.ms), Counts: w.counts(), More: w.more,
	}
	if len(w.bars) > fewCalls {
		data.Overview = w.overview()
	}
	for i := range w.bars {
		data.Rows = append(data.Rows, w.row(&w.bars[i]))
	}
	return t.Execute(to, data)
}

type htmlPage struct {
	Title, File, Outcome, Started, Took, End, Counts string
	OK                                               bool
	More                                             int
	Overview                                         *overview // nil if there are few calls
	Rows                                             []row
}

// row is a call in the file.
type row struct {
	Call, Tool, Took, Outcome string
	Failed                    bool
	Parts                     []span
	Facts                     [][2]string
}

// span is a part of a bar; Left and Width are percentages of the track.
type span struct{ State, Left, Width string }

func (w *Waterfall) row(b *bar) row {
	r := row{
		Call: terminal.OneLine(b.Call), Tool: terminal.OneLine(b.Tool), Took: duration(b.to - b.from),
		Outcome: terminal.OneLine(b.Outcome), Failed: b.failed(),
	}
	for _, p := range b.parts {
		r.Parts = append(r.Parts, span{p.state, percent(p.from, w.ms), percent(p.to-p.from, w.ms)})
	}
	if len(b.parts) == 0 { // a call that took no time
		r.Parts = []span{{work, percent(b.from, w.ms), "0"}}
	}
	wait := func(ms float64) string {
		if ms <= 0 {
			return ""
		}
		return duration(ms)
	}
	for _, fact := range [][2]string{
		{"Tool", b.Tool}, {"Made", duration(b.from) + " after the start"}, {"Ended", b.Time.UTC().Format(time.RFC3339Nano)}, {"Outcome", b.Outcome}, {"Error", b.Error},
		{"Sent", string(b.Sent)}, {"Waited for its turn in the run", wait(b.QueuedMs)}, {"Waited for an approval", wait(b.ApprovalMs)}, {"Approval", b.Approval},
		{"Waited for its server or turn", wait(b.SlotMs)}, {"Host", b.Host}, {"Arguments", ShortData(b.Args)}, {"Result", ShortData(b.Result)},
	} {
		if fact[1] != "" {
			fact[1] = terminal.OneLine(fact[1])
			r.Facts = append(r.Facts, fact)
		}
	}
	return r
}

func percent(ms, of float64) string {
	if of <= 0 {
		return "0"
	}
	return fmt.Sprintf("%.3f", 100*ms/of)
}

// overview is a picture of all calls, 1000 units wide, without their waits for a turn in the run.
type overview struct {
	Height int
	Rects  []rect
}

type rect struct {
	State       string
	Failed      bool
	X, Y, Width string
	Height      string
}

// highest is the maximum height of the overview, unless its lanes would become thinner than one unit.
const highest = 160

func (w *Waterfall) overview() *overview {
	lane := within(highest/float64(max(w.lanes, 1)), 1, 12)
	o := &overview{Height: int(lane*float64(w.lanes)) + 1}
	for _, failed := range []bool{false, true} { // draw failed calls above the others
		for i := range w.bars {
			b := &w.bars[i]
			if b.failed() != failed {
				continue
			}
			for _, p := range b.parts {
				if p.to > b.began {
					o.Rects = append(o.Rects, rect{
						p.state, failed, fmt.Sprintf("%.2f", 1000*p.from/w.ms), fmt.Sprintf("%.2f", lane*float64(b.lane)),
						fmt.Sprintf("%.2f", max(1, 1000*(p.to-p.from)/w.ms-0.5)), fmt.Sprintf("%.2f", lane*0.9),
					})
				}
			}
		}
	}
	return o
}
