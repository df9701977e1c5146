package quickjs

import "strings"

// input is the standard input of a run.
type input struct {
	ended bool   // no more chunks arrive
	asked int    // number of chunks that were requested and have not arrived
	rest  []byte // the start of an incomplete character
}

// ask requests a chunk. It returns 1, or 0 if no more chunks arrive.
func (i *input) ask(host Host) int {
	if i.ended {
		return 0
	}
	i.asked++
	host.ReadStdin()
	return 1
}

// take returns the text of a chunk. eof says that it is the last chunk.
func (i *input) take(chunk []byte, eof bool) string {
	i.asked = max(0, i.asked-1)
	if i.ended = eof; eof {
		i.asked = 0
	}
	data := append(i.rest, chunk...)
	i.rest = nil
	if cut := cutShort(data); cut > 0 && !eof {
		i.rest = append(i.rest, data[len(data)-cut:]...)
		data = data[:len(data)-cut]
	}
	text, _ := decodeUTF8(data)
	return text
}

// feed passes a chunk of standard input to the script.
func (r *run) feed(a Answer) error {
	if r.input.ended {
		return nil
	}
	text := r.input.take(a.Stdin, a.StdinEOF)
	unix := fnTrue
	if strings.IndexByte(text, '\r') >= 0 {
		unix = fnUndefined
	}
	chunk := r.instance.newString(text)
	if err := r.enter(r.instance.entries.feed, chunk, r.instance.undefined(), handle(r.instance.call(unix))); err != nil || !a.StdinEOF {
		return err
	}
	if a.StdinErr != "" {
		return r.enter(r.instance.entries.feed, r.instance.undefined(), r.instance.newString(a.StdinErr))
	}
	return r.enter(r.instance.entries.feed, r.instance.undefined())
}
