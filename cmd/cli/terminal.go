package cli

import (
	"io"
	"regexp"
	"strings"
)

// ownTerminal filters the output of a script if w is a terminal: the output contains
// answers of tools, which may contain control sequences. A pipe gets every byte.
func ownTerminal(w io.Writer) io.Writer {
	if isTerminal(w) {
		return &harmless{to: w}
	}
	return w
}

// harmless filters text as visibleText does, but keeps colours and CRLF.
type harmless struct {
	to   io.Writer
	held string // the beginning of a colour or of CRLF that the next text may complete
}

var (
	colours    = regexp.MustCompile("\x1b\\[[0-9;:]{0,32}m|\r\n")
	unfinished = regexp.MustCompile("(\x1b(\\[[0-9;:]{0,32})?|\r)$")
)

// Write expects whole characters; events have only whole characters.
func (h *harmless) Write(p []byte) (int, error) {
	text := h.held + string(p)
	end := len(text)
	if at := unfinished.FindStringIndex(text); at != nil {
		end = at[0]
	}
	h.held = text[end:]
	return len(p), h.show(text[:end])
}

// Close writes the held text.
func (h *harmless) Close() error {
	held := h.held
	h.held = ""
	return h.show(held)
}

func (h *harmless) show(text string) error {
	var b strings.Builder
	from := 0
	for _, at := range colours.FindAllStringIndex(text, -1) {
		b.WriteString(visibleText(text[from:at[0]]))
		b.WriteString(text[at[0]:at[1]])
		from = at[1]
	}
	b.WriteString(visibleText(text[from:]))
	_, err := io.WriteString(h.to, b.String())
	return err
}
