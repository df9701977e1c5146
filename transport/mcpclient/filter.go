package mcpclient

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
)

const (
	maxMessage = 64 << 20 // bytes of one message from a server; mcp-go has no bound
	maxSkipped = 4 * maxMessage
	edge       = 512 // bytes kept of both ends of a message that is too large
)

// errTooLarge ends a connection whose over-large message belongs to no call.
var errTooLarge = fmt.Errorf("the server sent a message larger than %d MB", maxMessage>>20)

// ownID finds one of our request ids. The Python SDK writes the id in front of
// the result and the TypeScript SDK behind it, so both ends are searched.
var ownID = regexp.MustCompile(`"id"\s*:\s*"(` + callPrefix + `[0-9]+)"`)

// filter reads the lines of a server and passes the messages on. It holds no
// line in memory: a message runs through as it comes.
type filter struct {
	to       io.Writer
	limit    int
	text     func(line []byte)    // takes the beginning of a line that is no message
	tooLarge func(id string) bool // takes the id of a call whose answer is too large; false when there is none
}

// run passes lines on until reading fails, or a message that is too large
// belongs to no call. Once nobody takes the messages any more it still reads
// on, since a full pipe would keep the server from its orderly end.
func (f *filter) run(from io.Reader) error {
	in := bufio.NewReaderSize(from, 64<<10)
	for {
		if err := f.line(in); err != nil {
			return err
		}
	}
}

// line handles one line.
func (f *filter) line(in *bufio.Reader) error {
	piece, more, err := next(in)
	if err != nil {
		return err
	}
	if !startsMessage(piece) {
		f.text(piece)
		_, _, err := skip(in, more)
		return err
	}
	head := bytes.Clone(piece[:min(len(piece), edge)])
	for size := len(piece); size <= f.limit; size += len(piece) {
		_, _ = f.to.Write(piece) // fails only when nobody listens any more
		if !more {
			return nil
		}
		if piece, more, err = next(in); err != nil {
			return err
		}
	}
	return f.refuse(in, head, piece, more)
}

// refuse skips the rest of a message, of which all but the last piece has been
// passed on, and has its call fail with an answer of our own.
func (f *filter) refuse(in *bufio.Reader, head, piece []byte, more bool) error {
	rear := bytes.Clone(piece[max(0, len(piece)-edge):])
	end, skipped, err := skip(in, more)
	if err != nil {
		return err
	}
	rear = append(rear, end...)
	if skipped > maxSkipped {
		return errTooLarge
	}
	id := ownID.FindSubmatch(head)
	if all := ownID.FindAllSubmatch(rear, -1); id == nil && all != nil {
		id = all[len(all)-1]
	}
	if id == nil || !f.tooLarge(string(id[1])) {
		return errTooLarge
	}
	// The line break ends the torso, which mcp-go skips as no JSON.
	answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"error":{"code":-32000,"message":%q}}`, id[1], errTooLarge)
	_, _ = io.WriteString(f.to, "\n"+answer+"\n") //nolint:gosec // G705 takes the pipe to mcp-go for a web page
	return nil
}

// next returns the next piece of a line, valid until the next call, and whether
// the line goes on after it.
func next(in *bufio.Reader) (piece []byte, more bool, err error) {
	piece, err = in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return piece, true, nil
	}
	if len(piece) > 0 && errors.Is(err, io.EOF) {
		return piece, false, nil // a line without an end: the next read says EOF again
	}
	return piece, false, err
}

// skip reads to the end of a line and returns its last bytes and how many there
// were. It gives up where a line has no end in sight.
func skip(in *bufio.Reader, more bool) (end []byte, skipped int, err error) {
	for more && skipped <= maxSkipped {
		var piece []byte
		if piece, more, err = next(in); err != nil {
			return nil, skipped, err
		}
		skipped += len(piece)
		end = append(end, piece...)
		end = end[max(0, len(end)-edge):]
	}
	return end, skipped, nil
}

// startsMessage tells a JSON object from the text that servers, and the npx and
// uvx that start them, print on the wrong stream. An object as Node prints it
// has no quote after the brace.
func startsMessage(line []byte) bool {
	line = bytes.TrimLeft(line, " \t")
	if len(line) == 0 || line[0] != '{' {
		return false
	}
	line = bytes.TrimLeft(line[1:], " \t")
	return len(line) > 0 && (line[0] == '"' || line[0] == '}')
}
