package httptransport

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// readAll returns the events of a stream and the error at its end as text.
func readAll(from io.Reader, limit int) string {
	var out strings.Builder
	e := newEvents(from, limit)
	for {
		next, err := e.read()
		switch {
		case errors.Is(err, ErrTooLarge):
			fmt.Fprintf(&out, "too large, id %s\n", e.lastID)
		case err != nil:
			fmt.Fprintf(&out, "%v, id %s, retry %v", err, e.lastID, e.retry)
			return out.String()
		default:
			fmt.Fprintf(&out, "%s %q, id %s\n", next.name, next.data, e.lastID)
		}
	}
}

func TestEvents(t *testing.T) {
	const end = "EOF, id , retry 0s"
	for _, tt := range []struct{ name, stream, want string }{
		{"nothing", "", end},
		{"one", "data: a\n\n", "message \"a\", id \n" + end},
		{"named, with CRLF", "event: endpoint\r\ndata: /x\r\n\r\n", "endpoint \"/x\", id \n" + end},
		{"several lines", "data: a\ndata:b\ndata\n\n", "message \"a\\nb\\n\", id \n" + end},
		{"one space belongs to the field", "data:  a \n\n", "message \" a \", id \n" + end},
		{"empty data is none", "data:\n\n", end},
		{"an id without data counts", "id: 7\nretry: 20\n\ndata: a\n\n", "message \"a\", id 7\nEOF, id 7, retry 20ms"},
		{"an id of NUL does not", "id: a\x00\ndata: a\n\n", "message \"a\", id \n" + end},
		{"an empty id takes back", "id: 7\n\nid\ndata: a\n\n", "message \"a\", id \n" + end},
		{"a retry that is no number", "retry: 1s\nretry: +5\n\n", end},
		{"comments and unknown fields", ": ping\n\nfoo: bar\n\ndata: a\n\n", "message \"a\", id \n" + end},
		{"a name without data is forgotten", "event: x\n\ndata: a\n\n", "message \"a\", id \n" + end},
		{"byte order mark", "\uFEFFdata: a\n\n", "message \"a\", id \n" + end},
		{"no last empty line", "id: 1\ndata: a\n", "message \"a\", id \n" + end},
		{"broken in a line", "data: a\ndata: b", end},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := readAll(strings.NewReader(tt.stream), 1000); got != tt.want {
				t.Errorf("read\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestEventsAreBounded(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	pings := strings.Repeat(": ping\n", 10_000) + strings.Repeat(": ping\n\n", 10_000)
	stream := "id: 1\ndata: " + long + "\n\n" + pings + "id: 2\ndata: a\n\nid: 3\n" + strings.Repeat("data: 1234567890\n", 100) + "\ndata: b\n\n" + long
	want := "too large, id 1\nmessage \"a\", id 2\ntoo large, id 3\nmessage \"b\", id 3\nEOF, id 3, retry 0s"
	if got := readAll(strings.NewReader(stream), 1000); got != want {
		t.Errorf("read\n%s\nwant\n%s", got, want)
	}
}

// The id at the end of an answer that is too large is found, wherever the reads divide it.
func TestIDAtTheEndOfALargeEvent(t *testing.T) {
	for length := range 40 {
		e := newEvents(strings.NewReader(`data: {"result":"`+strings.Repeat("x", 1<<15-length)+`","id":123456}`+"\n\n"), 20_000)
		if _, err := e.read(); !errors.Is(err, ErrTooLarge) {
			t.Fatal(err)
		}
		if ids := slices.Collect(In(e.torso, nil)); !slices.Equal(ids, []int64{123456}) {
			t.Errorf("%d: ids %d in %.40q", length, ids, e.torso[max(0, len(e.torso)-40):])
		}
	}
}

func TestTruncatedEvents(t *testing.T) {
	broken := io.MultiReader(strings.NewReader("id: 1\ndata: a\n\ndata: b\n"), iotest.ErrReader(errors.New("reset")))
	if got, want := readAll(broken, 1000), "message \"a\", id 1\nreset, id 1, retry 0s"; got != want {
		t.Errorf("read\n%s\nwant\n%s", got, want)
	}
}

func TestDelay(t *testing.T) {
	for _, tt := range []struct {
		retry    string
		failures int
		want     time.Duration
	}{
		{"", 0, time.Second}, {"", 2, 4 * time.Second}, {"", maxResumes, maxRetry},
		{"retry: 0\n\n", 0, time.Second}, {"retry: 1\n\n", 0, time.Second}, {"retry: 999\nretry: 0\n\n", 0, time.Second},
		{"retry: -1\n\n", 0, time.Second}, {"retry: 499\n\n", 0, time.Second}, {"retry: 500\n\n", 0, 500 * time.Millisecond}, {"retry: 500\n\n", 1, time.Second}, {"retry: 60000\n\n", 3, time.Minute},
	} {
		e := newEvents(strings.NewReader(tt.retry), 1000)
		if _, err := e.read(); !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		if got := delay(e, tt.failures); got != tt.want {
			t.Errorf("%q, %d in vain: %v, want %v", tt.retry, tt.failures, got, tt.want)
		}
	}
}

// The events do not depend on how the stream is split into reads, and no event exceeds the limit.
func FuzzEvents(f *testing.F) {
	for _, seed := range []string{"data: a\n\n", "id: 1\r\nevent: x\r\ndata\r\n\r\n", ":\n\nretry: 5\n\ndata: ab\ndata: c\n", strings.Repeat("data: x\n", 50) + "\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, stream string) {
		const limit = 64
		whole := readAll(strings.NewReader(stream), limit)
		if pieces := readAll(iotest.OneByteReader(strings.NewReader(stream)), limit); pieces != whole {
			t.Errorf("%q: whole\n%s\nbyte by byte\n%s", stream, whole, pieces)
		}
		e := newEvents(strings.NewReader(stream), limit)
		for {
			next, err := e.read()
			if err != nil && !errors.Is(err, ErrTooLarge) {
				return
			}
			if len(next.data) > limit {
				t.Errorf("%q: an event of %d bytes", stream, len(next.data))
			}
		}
	})
}

// TestLineEnds: each of the three line ends ends a line, at any border between two reads.
func TestLineEnds(t *testing.T) {
	const want = "message \"a\\nb\", id 1\nmessage \"c\", id 1\nEOF, id 1, retry 0s"
	for _, end := range []string{"\n", "\r\n", "\r"} {
		stream := strings.ReplaceAll(": hi\n\nid: 1\ndata: a\ndata: b\n\ndata: c\n\n", "\n", end)
		for name, from := range map[string]io.Reader{
			"at once": strings.NewReader(stream), "by bytes": iotest.OneByteReader(strings.NewReader(stream)), "by halves": iotest.HalfReader(strings.NewReader(stream)),
		} {
			if got := readAll(from, 1000); got != want {
				t.Errorf("%q %s: read\n%s\nwant\n%s", end, name, got, want)
			}
		}
	}
}

// An event whose last line ends with CR alone is complete before the next byte arrives.
func TestLineEndIsNotAwaited(t *testing.T) {
	from, to := io.Pipe()
	t.Cleanup(func() { _ = to.Close() })
	go func() { _, _ = io.WriteString(to, "data: a\r\r") }()
	if got, err := newEvents(from, 1000).read(); err != nil || string(got.data) != "a" {
		t.Errorf("read %q, %v", got.data, err)
	}
}

// A stream that ends after a comment has made no progress, so that the next attempt is delayed longer.
func TestCommentIsNoProgress(t *testing.T) {
	for stream, want := range map[string]int{": hi\n\n": 0, ": hi\n\n: ho\n\n": 0, "\n\n": 0, "id: 1\ndata:\n\n": 1, "retry: 10\n\n": 1, "data: a\n\n": 1} {
		e := newEvents(strings.NewReader(stream), 1000)
		for {
			if _, err := e.read(); err != nil {
				break
			}
		}
		if e.count != want {
			t.Errorf("%q: %d events, want %d", stream, e.count, want)
		}
	}
}
