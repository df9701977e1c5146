package budget_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/toolscript/toolscript/internal/budget"
)

// endless is an endless reader that counts the bytes read from it.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	e.read += len(p)
	return len(p), nil
}

func TestRead(t *testing.T) {
	text := strings.Repeat("x", 3<<20)
	for _, size := range []int64{-1, int64(len(text))} {
		for name, r := range map[string]io.Reader{
			"at once": strings.NewReader(text), "in halves": iotest.HalfReader(strings.NewReader(text)), "with its end": iotest.DataErrReader(strings.NewReader(text)),
		} {
			got, err := budget.Read(t.Context(), nil, r, size, len(text))
			if err != nil || string(got) != text || size > 0 && cap(got) != len(text)+1 {
				t.Errorf("%s, announced as %d: %d bytes in %d, %v", name, size, len(got), cap(got), err)
			}
		}
	}
	if got, err := budget.Read(t.Context(), nil, bytes.NewReader(nil), 0, 10); len(got) != 0 || err != nil {
		t.Errorf("nothing becomes %q, %v", got, err)
	}
	if _, err := budget.Read(t.Context(), nil, strings.NewReader(text), -1, len(text)-1); !errors.Is(err, budget.ErrTooLong) {
		t.Errorf("a text with a byte too many: %v", err)
	}
	e := &endless{}
	if _, err := budget.Read(t.Context(), nil, e, 11, 10); !errors.Is(err, budget.ErrTooLong) || e.read > 0 {
		t.Errorf("an announcement of a byte too many: %v after %d bytes", err, e.read)
	}
	if _, err := budget.Read(t.Context(), nil, e, -1, 1000); !errors.Is(err, budget.ErrTooLong) || e.read > 1001 {
		t.Errorf("a text without end: %v after %d bytes", err, e.read)
	}
	var failed *budget.ReadError
	if _, err := budget.Read(t.Context(), nil, iotest.ErrReader(io.ErrUnexpectedEOF), -1, 10); !errors.As(err, &failed) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a text that breaks off: %v", err)
	}
}

// TestReadTakesBeforeItReads: bytes that do not fit into the budget are not read.
func TestReadTakesBeforeItReads(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "off")
	synctest.Test(t, func(t *testing.T) {
		b := budget.New(fixed(4 << 20))
		full := b.Lease(t.Context())
		goesOn(t, "another answer", take(t.Context(), full, 5<<20))
		ctx, cancel := context.WithCancel(t.Context())
		for _, size := range []int64{-1, 32 << 20} {
			e, done := &endless{}, make(chan error, 1)
			go func() {
				_, err := budget.Read(ctx, b.Lease(t.Context()), e, size, 32<<20)
				done <- err
			}()
			synctest.Wait()
			waits(t, "the answer", done)
			if e.read > budget.Free {
				t.Errorf("announced as %d: %d bytes were read before there was room", size, e.read)
			}
			defer func() {
				if err := <-done; !errors.Is(err, context.Canceled) {
					t.Errorf("the read ended with %v", err)
				}
			}()
		}
		cancel()
	})
}
