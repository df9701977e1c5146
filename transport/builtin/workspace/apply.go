package workspace

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Apply returns the text with the changes of the hunks, which must be in the order of the
// text. The old lines of a hunk must be in the text exactly, apart from their line ends,
// but may be at another place. A hunk with a line number applies at the nearest match, any
// other hunk at the first match. Unchanged lines keep their line ends. A byte order mark at the
// start of the text stays, and belongs to no line unless the hunks contain it. If ctx ends early,
// Apply returns its error.
func Apply(ctx context.Context, text string, hunks []Hunk) (string, error) {
	start := ""
	if !slices.ContainsFunc(hunks, Hunk.byteOrderMark) {
		if body, marked := strings.CutPrefix(text, mark); marked {
			start, text = mark, body
		}
	}
	a := applier{old: splitText(text), explicit: slices.ContainsFunc(hunks, Hunk.carriageReturn)}
	for _, h := range hunks {
		if err := errors.Join(ctx.Err(), a.hunk(h)); err != nil {
			return "", err
		}
	}
	a.keep(len(a.old))
	return start + a.join(), nil
}

// mark is the byte order mark of UTF-8, which programs of Windows write.
const mark = "\ufeff"

// byteOrderMark reports whether an old line of the hunk begins with a byte order mark.
func (h Hunk) byteOrderMark() bool {
	return slices.ContainsFunc(h.Lines, func(l Line) bool { return l.Op != '+' && strings.HasPrefix(l.Text, mark) })
}

// fileLine is a line of a file and its line end: LF, CR LF, or nothing.
type fileLine struct{ text, end string }

func splitText(text string) (out []fileLine) {
	for line := range strings.Lines(text) {
		body, open := strings.CutSuffix(line, "\n")
		switch {
		case !open:
			out = append(out, fileLine{line, ""})
		case strings.HasSuffix(body, "\r"):
			out = append(out, fileLine{body[:len(body)-1], "\r\n"})
		default:
			out = append(out, fileLine{body, "\n"})
		}
	}
	return out
}

// carriageReturn reports whether an old line of the hunk ends with CR.
func (h Hunk) carriageReturn() bool {
	return slices.ContainsFunc(h.Lines, func(l Line) bool { return l.Op != '+' && strings.HasSuffix(l.Text, "\r") })
}

type applier struct {
	old      []fileLine
	at       int // number of lines of old that are processed
	out      []fileLine
	explicit bool // the patch contains the CR of CR LF line ends
	opened   bool // the patch says which line is the last and has no line end
}

// hunk applies one hunk.
func (a *applier) hunk(h Hunk) error {
	place, err := a.place(h)
	if err != nil {
		return err
	}
	a.keep(place)
	for _, line := range h.Lines {
		a.opened = a.opened || line.Open
		if line.Op == '+' {
			a.out = append(a.out, a.added(line))
			continue
		}
		if line.Op == ' ' {
			a.out = append(a.out, a.old[a.at])
		}
		a.at++
	}
	return nil
}

// keep copies the old lines up to a place without changes.
func (a *applier) keep(place int) {
	a.out = append(a.out, a.old[a.at:place]...)
	a.at = place
}

// added returns a new line of the file. It ends like the lines around it, unless the patch shows its end.
func (a *applier) added(line Line) fileLine {
	body, withCR := strings.CutSuffix(line.Text, "\r")
	switch end := a.usualEnd(); {
	case line.Open:
		return fileLine{line.Text, ""}
	case a.explicit && withCR, withCR && end == "\r\n":
		return fileLine{body, "\r\n"}
	case a.explicit, withCR:
		return fileLine{line.Text, "\n"}
	default:
		return fileLine{line.Text, end}
	}
}

// usualEnd returns the line end that is used at the current place.
func (a *applier) usualEnd() string {
	if a.at > 0 && a.old[a.at-1].end != "" {
		return a.old[a.at-1].end
	}
	if a.at < len(a.old) && a.old[a.at].end != "" {
		return a.old[a.at].end
	}
	if len(a.old) > 0 && a.old[0].end != "" {
		return a.old[0].end
	}
	return "\n"
}

// place returns the number of old lines before a hunk.
func (a *applier) place(h Hunk) (int, error) {
	from := a.at
	for _, header := range h.Headers {
		i := a.header(from, header)
		if i < 0 {
			return 0, mistake(h.Line, "the file has no line %s after line %d", shown(header), from)
		}
		from = i + 1
	}
	old := h.oldLines()
	if len(old) == 0 {
		return a.insertion(h, from)
	}
	near := from
	if h.Known {
		near = h.At - 1
	}
	best := -1
	for i := from; i+len(old) <= len(a.old); i++ {
		if h.AtEnd && i+len(old) != len(a.old) || !a.matches(i, old) {
			continue
		}
		if best < 0 || distance(i, near) < distance(best, near) {
			best = i
		}
		if i >= near {
			break
		}
	}
	if best < 0 {
		return 0, a.notFound(h, from, old)
	}
	return best, nil
}

func distance(a, b int) int { return max(a-b, b-a) }

// insertion returns the place of a hunk without old lines.
func (a *applier) insertion(h Hunk, from int) (int, error) {
	switch {
	case h.Known && (h.At < from || h.At > len(a.old)):
		return 0, mistake(h.Line, "the hunk is at line %d, and the file has %d lines", h.At, len(a.old))
	case h.Known:
		return h.At, nil
	case len(h.Headers) > 0 && !h.AtEnd:
		return from, nil
	default:
		return len(a.old), nil
	}
}

// header returns the index of the first line, from a place on, that equals the header;
// failing that, of the first that equals it without indentation.
func (a *applier) header(from int, header string) int {
	for _, same := range []func(string) bool{
		func(line string) bool { return line == header },
		func(line string) bool { return strings.TrimSpace(line) == strings.TrimSpace(header) },
	} {
		if i := slices.IndexFunc(a.old[from:], func(l fileLine) bool { return same(l.text) }); i >= 0 {
			return from + i
		}
	}
	return -1
}

func (h Hunk) oldLines() (old []string) {
	for _, line := range h.Lines {
		if line.Op != '+' {
			old = append(old, strings.TrimSuffix(line.Text, "\r"))
		}
	}
	return old
}

func (a *applier) matches(at int, old []string) bool {
	for i, text := range old {
		if a.old[at+i].text != text {
			return false
		}
	}
	return true
}

// notFound returns an error that names the missing lines, and where they are if only blanks differ.
func (a *applier) notFound(h Hunk, from int, old []string) error {
	for i := 0; i+len(old) <= len(a.old); i++ {
		if a.matches(i, old) {
			if h.AtEnd {
				return mistake(h.Line, "the lines of the hunk are at line %d, not at the end of the file", i+1)
			}
			return mistake(h.Line, "the lines of the hunk are at line %d, before those of an earlier hunk or header at line %d", i+1, from)
		}
	}
	for i := from; i+len(old) <= len(a.old); i++ {
		if a.similar(i, old) {
			return mistake(h.Line, "the lines of the hunk differ from line %d of the file in blanks; they must be exact", i+1)
		}
	}
	const most = 6
	text := strings.Join(old[:min(len(old), most)], "\n")
	if len(old) > most {
		text += "\n…"
	}
	return mistake(h.Line, "the file does not have these lines:\n%s", text)
}

func (a *applier) similar(at int, old []string) bool {
	for i, text := range old {
		if !slices.Equal(strings.Fields(a.old[at+i].text), strings.Fields(text)) {
			return false
		}
	}
	return true
}

// join returns the new text. A file without a line break at its end stays so, unless the
// patch says otherwise.
func (a *applier) join() string {
	wasOpen := len(a.old) > 0 && a.old[len(a.old)-1].end == ""
	usual := "\n"
	if len(a.old) > 0 && a.old[0].end != "" {
		usual = a.old[0].end
	}
	var text strings.Builder
	for i, line := range a.out {
		last := i == len(a.out)-1
		switch {
		case last && wasOpen && !a.opened:
			line.end = ""
		case !last && line.end == "":
			line.end = usual
		}
		text.WriteString(line.text)
		text.WriteString(line.end)
	}
	return text.String()
}

// ErrContent is the error for a patch that deletes a file whose content differs from the patch.
var ErrContent = errors.New("the file has another content than the patch deletes")

// CheckDeleted checks that text is the content that a patch deletes. A patch without hunks
// deletes any content.
func CheckDeleted(ctx context.Context, text string, hunks []Hunk) error {
	if len(hunks) == 0 {
		return nil
	}
	left, err := Apply(ctx, text, hunks)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrContent, err)
	}
	if left != "" {
		return ErrContent
	}
	return nil
}
