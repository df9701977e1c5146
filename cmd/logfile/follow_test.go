package logfile_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript/cmd/logfile"
)

// followed follows a log in the background and sends each new piece of text.
func followed(ctx context.Context, t *testing.T, path string, running func() bool) (pieces <-chan string, end <-chan error) {
	t.Helper()
	log, err := logfile.Follow(ctx, path, running)
	if err != nil {
		t.Fatal(err)
	}
	texts, ended := make(chan string, 10), make(chan error, 1)
	go func() {
		defer func() { _ = log.Close() }()
		buffer := make([]byte, 100)
		for {
			n, err := log.Read(buffer)
			if n > 0 {
				texts <- string(buffer[:n])
			}
			if err != nil {
				ended <- err
				return
			}
		}
	}()
	return texts, ended
}

func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "x.log")
		write := func(flags int, text string) {
			t.Helper()
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|flags, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteString(text); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
		var running atomic.Bool
		running.Store(true)
		write(0, "first\n")
		pieces, end := followed(t.Context(), t, path, running.Load)
		want := func(text string) {
			t.Helper()
			if got := <-pieces; got != text {
				t.Errorf("read %q, want %q", got, text)
			}
		}
		want("first\n")
		write(os.O_APPEND, "second\n")
		want("second\n")
		write(os.O_TRUNC, "new\n") // as after the file was full
		want("new\n")
		synctest.Wait()
		write(os.O_APPEND, "last\n")
		running.Store(false)
		want("last\n")
		if err := <-end; !errors.Is(err, io.EOF) {
			t.Errorf("the end is %v, want EOF", err)
		}
	})
}

func TestFollowIsInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "x.log")
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		cause := errors.New("interrupted")
		ctx, cancel := context.WithCancelCause(t.Context())
		_, end := followed(ctx, t, path, func() bool { return true })
		time.Sleep(time.Minute) // time of the synctest bubble
		cancel(cause)
		if err := <-end; !errors.Is(err, cause) {
			t.Errorf("the end is %v, want the cause", err)
		}
	})
}
