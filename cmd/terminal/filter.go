package terminal

import (
	"io"
	"regexp"
	"strings"
	"sync"
)

// Filter returns a writer for the output of a script. If w is a terminal, it filters
// control sequences, which answers of tools may contain. Otherwise it writes every byte.
// Close writes the rest and does not close w.
func Filter(w io.Writer) io.WriteCloser {
	if Is(w) {
		return &filtered{to: w}
	}
	return unfiltered{w}
}

type unfiltered struct{ io.Writer }

// Close implements io.Closer.
func (unfiltered) Close() error { return nil }

// filtered filters text like VisibleText, but keeps colours and CRLF.
type filtered struct {
	to   io.Writer
	held string // beginning of a colour or of CRLF that the next text may complete
}

var (
	colours    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("\x1b\\[[0-9;:]{0,32}m|\r\n") })
	unfinished = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(\x1b(\\[[0-9;:]{0,32})?|\r)$") })
)

// Write expects whole characters; events contain only whole characters.
func (h *filtered) Write(p []byte) (int, error) {
	text := h.held + string(p)
	end := len(text)
	if at := unfinished().FindStringIndex(text); at != nil {
		end = at[0]
	}
	h.held = text[end:]
	return len(p), h.show(text[:end])
}

// Close writes the held text.
func (h *filtered) Close() error {
	held := h.held
	h.held = ""
	return h.show(held)
}

func (h *filtered) show(text string) error {
	var b strings.Builder
	from := 0
	for _, at := range colours().FindAllStringIndex(text, -1) {
		b.WriteString(VisibleText(text[from:at[0]]))
		b.WriteString(text[at[0]:at[1]])
		from = at[1]
	}
	b.WriteString(VisibleText(text[from:]))
	_, err := io.WriteString(h.to, b.String())
	return err
}
