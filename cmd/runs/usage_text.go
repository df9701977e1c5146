package runs

import (
	"fmt"
	"strings"

	"github.com/toolscript/toolscript/cmd/terminal"
)

// skillTokens is the length of the skill of the Claude Code plugin, in tokens.
const skillTokens = 726

// usageText is the report of toolscript usage for a person.
type usageText struct {
	strings.Builder
	*UsageReport
	byTool bool
	server string // "": all
	single bool   // runs were named
	width  int    // columns of the terminal; 0: the reader is a program
}

// text returns the report.
func (t *usageText) text() string {
	if !t.single {
		fmt.Fprintf(&t.Builder, "Since %s: %s, %s.\n", t.Since.Local().Format("2006-01-02 15:04"), t.several(t.Sessions, "session"), t.several(t.Runs, "run"))
	}
	if t.Sessions == 0 {
		t.paragraph("", "There is nothing to count yet: no script, call or search was recorded in this period. Run one, such as")
		t.WriteString("  toolscript exec 'return Object.keys(tools)'\n")
	}
	if len(t.Tools) > 0 {
		t.WriteString("\nAbout how many tokens\n")
		t.table()
	}
	if t.Work != nil && t.Sessions > 0 {
		t.work()
	}
	t.advice()
	return t.String()
}

// table writes a row for each server or tool, and the sums.
func (t *usageText) table() {
	rows := [][]string{}
	add := func(name string, tools, definitions int, of Traffic) {
		row := []string{terminal.OneLine(name)}
		if !t.byTool {
			row = append(row, t.number(tools))
		}
		rows = append(rows, append(row, t.number(definitions), t.number(of.Calls), t.number(of.Arguments), t.number(of.Results), t.number(of.Reached)))
	}
	var tools, definitions int
	var sum Traffic
	for _, s := range t.Servers {
		if !t.byTool {
			add(s.Server, s.Tools, s.Definitions.Plain, s.Traffic)
		}
		tools, definitions = tools+s.Tools, definitions+s.Definitions.Plain
		sum.Calls, sum.Arguments, sum.Results, sum.Reached = sum.Calls+s.Calls, sum.Arguments+s.Arguments, sum.Results+s.Results, sum.Reached+s.Reached
	}
	if t.byTool {
		for _, one := range t.Tools {
			add(one.Tool, 0, one.Definitions.Plain, one.Traffic)
		}
	}
	if t.server == "" && t.Other > 0 {
		add("(no server)", 0, 0, Traffic{Reached: t.Other})
		sum.Reached += t.Other
	}
	if len(rows) > 1 {
		add("all", tools, definitions, sum)
	}
	header := []string{"Server", "Tools", "Definitions", "Calls", "Arguments", "Results", "To agents"}
	if t.byTool {
		header = append([]string{"Tool"}, header[2:]...)
	}
	t.numbers(header, rows)
}

// work compares toolscript with plain tool calls.
func (t *usageText) work() {
	w := t.Work
	t.WriteString("\nThe same calls\n")
	row := func(name string, c UsageCost) []string {
		return []string{name, t.number(c.Definitions), t.number(c.Written), t.number(c.Read), t.number(c.Total)}
	}
	t.numbers([]string{"", "Definitions", "Written", "Read", "Total"}, [][]string{
		row("with toolscript", w.Toolscript), row("as plain tool calls", w.Plain),
	})
	switch {
	case w.Saved > 0:
		t.WriteString("toolscript saved about " + t.number(w.Saved) + " tokens" + usagePart(w.Saved, w.Plain.Total) + ".\n")
	case w.Saved < 0:
		t.WriteString("toolscript cost about " + t.number(-w.Saved) + " tokens more" + usagePart(-w.Saved, w.Plain.Total) + ".\n")
	default:
		t.WriteString("Both cost the same.\n")
	}
	for _, line := range t.assumptions() {
		t.paragraph("  ", line)
	}
}

// usagePart returns n as a percentage of of; "" if the percentage would be meaningless.
func usagePart(n, of int) string {
	if of == 0 || n > 10*of {
		return ""
	}
	return fmt.Sprintf(", %.0f %%", 100*float64(n)/float64(of))
}

// assumptions returns what the comparison takes for granted.
func (t *usageText) assumptions() []string {
	all := []string{fmt.Sprintf("Each token counts once, though a model reads its context again in each turn. Models wrote the scripts or the arguments; the commands themselves, and the skill of the plugin (%d tokens), are not counted.", skillTokens)}
	switch {
	case t.Work.WithoutDefinitions:
		all = append(all, "Definitions belong to a session and are left out for single runs.")
	case t.Work.Assumed > 0:
		all = append(all, fmt.Sprintf("Plain tool calls have the definitions of all tools in each session: those that the gateway of the session offered, and for %s without this record those of the present configuration.", t.several(t.Work.Assumed, "session")))
	default:
		all = append(all, "Plain tool calls have the definitions of all tools in each session: those that the gateway of the session offered.")
	}
	if t.Work.CutResults > 0 {
		all = append(all, fmt.Sprintf("A client without scripts shows at most %s tokens of one result, which cuts %s.", t.number(MostShown), t.several(t.Work.CutResults, "result")))
	}
	if t.Estimated > 0 {
		all = append(all, fmt.Sprintf("The tokens of %s were not estimated from the text, and are a quarter of the bytes.", t.several(t.Estimated, "text")))
	}
	return all
}

// advice writes which servers and tools were never used.
func (t *usageText) advice() {
	if len(t.Exclude) == 0 {
		return
	}
	t.WriteString("\nNever used in this period\n")
	for _, a := range t.Exclude {
		what := "server " + a.Server
		if len(a.Tools) > 0 {
			what = t.several(len(a.Tools), "tool") + " of " + a.Server
		}
		since := "since " + a.Since.Local().Format("2006-01-02")
		text := fmt.Sprintf("%s: about %s tokens of definitions, known %s", terminal.OneLine(what), t.number(a.Tokens), since)
		if a.Young {
			text += ", which is too short to judge"
		}
		t.paragraph("  ", text)
		if a.Do != "" {
			t.WriteString("    " + terminal.OneLine(a.Do) + "\n")
		}
	}
	t.paragraph("", "What is excluded leaves search results, and the context of clients that use the server without toolscript. With toolscript, definitions that are not asked for cost nothing.")
}

// number formats n. For people, a space separates the thousands.
func (t *usageText) number(n int) string {
	text := fmt.Sprint(n)
	if t.width <= 0 {
		return text
	}
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + " " + text[i:]
	}
	return text
}

func (t *usageText) several(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return t.number(n) + " " + what + "s"
}

// numbers writes a table whose columns after the first are numbers.
func (t *usageText) numbers(header []string, rows [][]string) {
	table := terminal.Table{Header: header, Numbers: true}
	for _, row := range rows {
		table.Add(row...)
	}
	_ = table.Write(t, t.width, nil) // a Builder has no error
}

// paragraph writes a text in lines that begin with indent.
func (t *usageText) paragraph(indent, text string) {
	width := 0
	if t.width > 0 {
		width = max(t.width-len(indent), 20)
	}
	for _, line := range terminal.Wrap(text, width) {
		t.WriteString(indent + line + "\n")
	}
}
