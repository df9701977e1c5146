package cli

import (
	"fmt"
	"strings"

	"github.com/toolscript/toolscript"
)

// remark says what the answer had to do without.
func (o *searchOptions) remark(answer toolscript.SearchAnswer) {
	if answer.Mode == "lexical" {
		if rest, busy := strings.CutPrefix(answer.State, "indexing "); busy {
			o.say("toolscript: found by words only: the meaning of tools is being computed (%s)", rest)
		} else {
			o.say("toolscript: found by words only")
		}
	}
	for _, s := range answer.Missing {
		o.warn("not searched: %s", trouble(toolscript.ServerStatus{Name: s.Name, State: s.State, Error: s.Error}))
	}
}

// nothing says what to try when nothing was found.
func (o *searchOptions) nothing(answer toolscript.SearchAnswer) error {
	text := fmt.Sprintf("No tools found matching your query.\nTry other words, or a lower --threshold than %g.", answer.Threshold)
	if len(answer.Nearest) > 0 {
		text += "\nNearest: " + oneLine(strings.Join(answer.Nearest, ", "))
	}
	return o.print("%s", text)
}

func (o *searchOptions) table(answer toolscript.SearchAnswer) error {
	t := table{header: []string{"Tool", "Confidence", "Reason", "Description"}}
	for _, r := range answer.Results {
		t.add(r.ToolID, percent(r.Confidence), r.Reason, shortened(r.Description))
	}
	return t.write(o.Stdout, nil)
}

func percent(part float64) string { return fmt.Sprintf("%.1f%%", 100*part) }

// shortened is the beginning of a description.
func shortened(description string) string {
	const most = 50
	text := []rune(oneLine(description))
	if len(text) <= most {
		return string(text)
	}
	return string(text[:most]) + "..."
}

// types prints what a model needs to write a script: Markdown.
func (o *searchOptions) types(answer toolscript.SearchAnswer) error {
	var b strings.Builder
	b.WriteString("## Search Results\n\n| Tool | Confidence | Reason |\n|---|---|---|\n")
	for _, r := range answer.Results {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", cell(r.ToolID), percent(r.Confidence), cell(r.Reason))
	}
	fmt.Fprintf(&b, "\n```typescript\n%s\n```\n\nUsage example:\n\n```typescript\n%s\n```",
		strings.TrimRight(answer.Types, "\n"), strings.TrimRight(answer.Example, "\n"))
	return o.print("%s", b.String())
}

// cell is a text that cannot end the cell of a Markdown table.
func cell(text string) string { return strings.ReplaceAll(oneLine(text), "|", `\|`) }
