package runs

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/toolscript/toolscript/actors/pin"
	"github.com/toolscript/toolscript/actors/runs/kept"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Bounds of the text of one difference.
const (
	mostLines   = 40
	mostColumns = 300     // characters of a line
	mostSource  = 1 << 20 // bytes of one content; larger ones are not compared
)

// AddTextDifferences adds the differing lines to the differences of two recorded runs. Known forms of
// credentials, and characters that a terminal interprets, are replaced first.
func AddTextDifferences(found []Difference, a, b kept.Recording) {
	for i := range found {
		d := &found[i]
		first, known := content(*d, a)
		second, both := content(*d, b)
		if known && both {
			d.Text = compared(first, second)
		}
	}
}

// content returns what a recording contains about the subject of a difference.
func content(d Difference, r kept.Recording) (text string, known bool) {
	switch {
	case d.What == "script":
		return r.Code, true
	case d.Call == "" && d.What == "value":
		return string(r.Outcome.Value), true
	case d.Call == "" && d.What == "outcome" && r.Outcome.Err != nil:
		return r.Outcome.Err.Message, true
	}
	n, err := strconv.Atoi(d.Call)
	if err != nil || n < 1 || n > len(r.Calls) {
		return "", d.What == "call" // one of the runs does not have the call
	}
	call := r.Calls[n-1]
	switch {
	case d.What == "arguments":
		return string(call.Args), true
	case d.What == "result" && call.Failure == nil:
		return string(call.Value), true
	case d.What == "result" || d.What == "outcome" && call.Failure != nil:
		return call.Failure.Message, true
	case d.What == "call":
		return call.ID + "\n" + string(call.Args), true
	}
	return "", false
}

func compared(first, second string) string {
	if len(first) > mostSource || len(second) > mostSource {
		return "  (too large to compare)\n"
	}
	text := pin.Lines(shown(first), shown(second))
	if text == "" && first != second {
		return "  (they differ only in what is not shown)\n"
	}
	var b strings.Builder
	lines := strings.SplitAfter(text, "\n")
	for _, line := range lines[:min(mostLines, len(lines))] {
		b.WriteString(line)
	}
	if len(lines) > mostLines+1 { // the last one is empty
		b.WriteString("  … " + strconv.Itoa(len(lines)-1-mostLines) + " more lines\n")
	}
	return b.String()
}

// shown returns a content as lines for a terminal. JSON is indented. Credentials of several
// lines, such as private keys, are hidden before those within a line.
func shown(text string) string {
	text = upstream.Redact(text)
	var indented bytes.Buffer
	if json.Indent(&indented, []byte(text), "", "  ") == nil {
		text = indented.String()
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		line = terminal.Visible(upstream.Redact(line[len(indent):]))
		if runes := []rune(line); len(runes) > mostColumns {
			line = string(runes[:mostColumns]) + "…"
		}
		b.WriteString(indent + line + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}
