//go:build unix

package rawio_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/toolscript/toolscript/internal/rawio"
)

// newPipe returns the ends of a pipe. A blocking pipe is one that the poller of Go does not
// watch.
func newPipe(t *testing.T, blocking bool) (r, w *rawio.File) {
	t.Helper()
	var ends [2]*os.File
	var err error
	if blocking {
		var fds [2]int
		if err = syscall.Pipe(fds[:]); err == nil {
			ends[0], ends[1] = os.NewFile(uintptr(fds[0]), "r"), os.NewFile(uintptr(fds[1]), "w")
		}
	} else {
		ends[0], ends[1], err = os.Pipe()
	}
	if err != nil {
		t.Fatal(err)
	}
	r, w = rawio.New(ends[0]), rawio.New(ends[1])
	t.Cleanup(func() { _, _ = r.Close(), w.Close() })
	return r, w
}

// TestTransfer sends more than a pipe holds, in both kinds of descriptors, until the end.
func TestTransfer(t *testing.T) {
	for name, blocking := range map[string]bool{"watched": false, "blocking": true} {
		t.Run(name, func(t *testing.T) {
			r, w := newPipe(t, blocking)
			sent := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
			failed := make(chan error, 1)
			go func() {
				n, err := w.Write(sent)
				if err == nil && n != len(sent) {
					err = io.ErrShortWrite
				}
				failed <- errors.Join(err, w.Close())
			}()
			got, err := io.ReadAll(r)
			if err != nil || !bytes.Equal(got, sent) {
				t.Errorf("%d bytes arrived of %d, %v", len(got), len(sent), err)
			}
			if err := <-failed; err != nil {
				t.Error(err)
			}
		})
	}
}

func TestWriteNow(t *testing.T) {
	r, w := newPipe(t, false)
	sent := make([]byte, 8<<20)
	n := w.WriteNow(sent)
	if n <= 0 || n >= len(sent) {
		t.Fatalf("WriteNow wrote %d bytes of %d to an empty pipe", n, len(sent))
	}
	if more := w.WriteNow(sent); more != 0 {
		t.Errorf("WriteNow wrote %d bytes to a full pipe", more)
	}
	if _, err := io.ReadFull(r, make([]byte, n)); err != nil {
		t.Fatal(err)
	}
	if again := w.WriteNow([]byte("x")); again != 1 {
		t.Errorf("WriteNow wrote %d bytes of 1 after the pipe was read", again)
	}
	_ = r.Close()
	if n := w.WriteNow([]byte("x")); n != 0 {
		t.Errorf("WriteNow wrote %d bytes without a reader", n)
	}
}

func TestWriteNowDoesNotBlock(t *testing.T) {
	_, w := newPipe(t, true)
	if n := w.WriteNow(make([]byte, 8<<20)); n != 0 {
		t.Errorf("WriteNow wrote %d bytes to a descriptor that blocks", n)
	}
}

func TestWriteWithoutReader(t *testing.T) {
	r, w := newPipe(t, false)
	_ = r.Close()
	if n, err := w.Write([]byte("x")); n != 0 || !errors.Is(err, syscall.EPIPE) {
		t.Errorf("Write = %d, %v; want %v", n, err, syscall.EPIPE)
	}
}

// TestClose closes a pipe while other goroutines read from it or write to it.
func TestClose(t *testing.T) {
	r, w := newPipe(t, false)
	w.WriteNow(make([]byte, 8<<20))
	wrote := make(chan error)
	go func() { _, err := w.Write([]byte("x")); wrote <- err }()
	_ = w.Close()
	if err := <-wrote; !errors.Is(err, os.ErrClosed) {
		t.Errorf("Write = %v, want %v", err, os.ErrClosed)
	}
	r, _ = newPipe(t, false)
	read := make(chan error)
	go func() { _, err := r.Read(make([]byte, 1)); read <- err }()
	_ = r.Close()
	if err := <-read; !errors.Is(err, os.ErrClosed) {
		t.Errorf("Read = %v, want %v", err, os.ErrClosed)
	}
	if _, err := rawio.New(r.File).Read(make([]byte, 1)); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Read of a closed file = %v, want %v", err, os.ErrClosed)
	}
}

func TestDeadline(t *testing.T) {
	r, w := newPipe(t, false)
	if err := r.SetReadDeadline(time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("Read = %v, want %v", err, os.ErrDeadlineExceeded)
	}
	w.WriteNow(make([]byte, 8<<20))
	if err := w.SetWriteDeadline(time.Now().Add(time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("Write = %v, want %v", err, os.ErrDeadlineExceeded)
	}
}

// TestNoAllocations checks that a message costs no memory.
func TestNoAllocations(t *testing.T) {
	r, w := newPipe(t, false)
	p := make([]byte, 100)
	if n := testing.AllocsPerRun(100, func() {
		if w.WriteNow(p) != len(p) {
			t.Error("the pipe has no room")
		}
		if _, err := r.Read(p); err != nil {
			t.Error(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
