package command

import (
	"fmt"
	"strings"
	"sync"
)

// transcript collects the output of a program.
type transcript struct {
	limit int
	room  func(bytes int) error

	mu         sync.Mutex
	out, err   cut
	aggregated cut
	arrived    int // bytes that have arrived, at most those that are kept
	taken      int // bytes reserved with room
}

const (
	// uncounted is the length of an output up to which no memory is reserved.
	uncounted = 64 << 10
	// copies is how often the output is in memory: in out or err and in aggregated, each as
	// collected bytes and as a string.
	copies = 4
)

func newTranscript(limit int, room func(bytes int) error) *transcript {
	return &transcript{limit: limit, room: room, out: cut{limit: limit}, err: cut{limit: limit}, aggregated: cut{limit: limit}}
}

// reserve reserves memory for n more bytes.
func (t *transcript) reserve(n int) error {
	if t.room == nil {
		return nil
	}
	t.mu.Lock()
	t.arrived = min(t.arrived+n, 2*t.limit) // two texts, each of at most limit bytes
	need := 0
	if t.arrived > uncounted {
		need = copies*t.arrived - t.taken
		t.taken += need
	}
	t.mu.Unlock()
	if need <= 0 {
		return nil
	}
	return t.room(need)
}

// stream is an io.Writer for one of the two outputs.
type stream struct {
	of   *transcript
	into *cut
}

func (s stream) Write(b []byte) (int, error) {
	if err := s.of.reserve(len(b)); err != nil {
		return 0, err
	}
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	s.into.add(b)
	s.of.aggregated.add(b)
	return len(b), nil
}

// cut keeps the first and the last bytes of a text, each half of limit.
type cut struct {
	limit int
	head  []byte
	tail  []byte // up to twice half of limit, so that it is rarely copied
	total int64
}

func (c *cut) add(b []byte) {
	c.total += int64(len(b))
	if space := c.limit - c.limit/2 - len(c.head); space > 0 {
		n := min(space, len(b))
		c.head = append(c.head, b[:n]...)
		b = b[n:]
	}
	half := c.limit / 2
	if len(b) >= half {
		c.tail = append(c.tail[:0], b[len(b)-half:]...)
		return
	}
	if len(c.tail)+len(b) > 2*half {
		c.tail = append(c.tail[:0], c.tail[len(c.tail)-(half-len(b)):]...)
	}
	c.tail = append(c.tail, b...)
}

// text returns the kept bytes as valid UTF-8, with a line that says how many bytes are missing.
func (c *cut) text() string {
	tail := c.tail
	if half := c.limit / 2; len(tail) > half {
		tail = tail[len(tail)-half:]
	}
	missing := c.total - int64(len(c.head)) - int64(len(tail))
	if missing == 0 {
		return valid(string(c.head) + string(tail))
	}
	return valid(string(c.head)) + fmt.Sprintf("\n[%d bytes omitted]\n", missing) + valid(string(tail))
}

func valid(text string) string { return strings.ToValidUTF8(text, "\ufffd") }
