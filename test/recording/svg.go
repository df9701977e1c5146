//go:build linux

package main

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// scene is one command and its output.
type scene struct {
	command string
	output  [][]piece
	took    time.Duration
}

// Dimensions of the picture, in pixels.
const (
	cell    = 8.0 // width of a character
	line    = 19.0
	margin  = 18.0
	toolbar = 30.0
)

// pause is the time from the end of a command's output to the next command.
const pause = 2 * time.Second

const style = `text { font: 13.3px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #d5dee2; white-space: pre }
.prompt, .green { fill: #7fd18b } .command { fill: #fff } .red { fill: #ff8a80 } .yellow { fill: #f2a63b } .cyan { fill: #7fd0e0 } .dim { fill: #8b9aa2 } .bold { font-weight: bold }
@keyframes wait { from { visibility: hidden } to { visibility: hidden } }
@media (prefers-reduced-motion: reduce) { g { animation: none !important } }
`

// word matches a text in which blanks are single.
var word = regexp.MustCompile(`\S+( \S+)*`)

// draw returns the picture. Each part is visible without animation; the animation hides it until its time.
func draw(scenes []scene) string {
	var body strings.Builder
	y, at := toolbar+margin, 500*time.Millisecond
	begin := func() { fmt.Fprintf(&body, "<g style=\"animation: wait %.2fs\">\n", at.Seconds()) }
	write := func(x int, class, text string) {
		if class != "" {
			class = fmt.Sprintf(" class=%q", class)
		}
		for _, at := range word.FindAllStringIndex(text, -1) { // not every viewer preserves several blanks
			part := text[at[0]:at[1]]
			fmt.Fprintf(&body, "<text x=\"%.1f\" y=\"%.1f\" textLength=\"%.1f\"%s>%s</text>\n",
				margin+cell*float64(x+utf8.RuneCountInString(text[:at[0]])), y, cell*float64(utf8.RuneCountInString(part)), class, html.EscapeString(part))
		}
	}
	for i, s := range scenes {
		if i > 0 {
			y += line / 2
		}
		begin()
		write(0, "prompt", "$")
		for j, text := range strings.Split(s.command, "\n") {
			x := 0
			if j == 0 {
				x = 2
			}
			write(x, "command", text)
			y += line
		}
		body.WriteString("</g>\n")
		at += s.took
		begin()
		for _, pieces := range s.output {
			for _, p := range pieces {
				write(p.column, p.class, p.text)
			}
			y += line
		}
		body.WriteString("</g>\n")
		at += pause
	}
	width, height := 2*margin+cell*columns, y
	var b strings.Builder
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" role=\"img\">\n", width, height, width, height)
	b.WriteString("<title>toolscript at a terminal: a search for a tool, a script with a wrong name, and the same script without the mistake</title>\n")
	b.WriteString("<desc>Made by: task recording</desc>\n<style>" + style + "</style>\n")
	fmt.Fprintf(&b, "<rect width=\"%.0f\" height=\"%.0f\" rx=\"9\" fill=\"#122b3a\"/>\n", width, height)
	for i, colour := range []string{"#ff8a80", "#f2a63b", "#7fd18b"} {
		fmt.Fprintf(&b, "<circle cx=\"%.0f\" cy=\"18\" r=\"5.5\" fill=%q/>\n", margin+6+float64(18*i), colour)
	}
	return b.String() + body.String() + "</svg>\n"
}
