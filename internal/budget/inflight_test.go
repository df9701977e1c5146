package budget_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/budget"
)

func fixed(n int64) func() int64 { return func() int64 { return n } }

// take takes bytes in the background and sends the error.
func take(ctx context.Context, l *budget.Lease, n int) <-chan error {
	done := make(chan error, 1)
	go func() { done <- l.Take(ctx, n) }()
	synctest.Wait()
	return done
}

func waits(t *testing.T, what string, done <-chan error) {
	t.Helper()
	select {
	case err := <-done:
		t.Errorf("%s does not wait: %v", what, err)
	default:
	}
}

func goesOn(t *testing.T, what string, done <-chan error) {
	t.Helper()
	synctest.Wait()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	default:
		t.Errorf("%s still waits", what)
	}
}

func TestBudget(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "off") // otherwise limitMemory would change the memory limit of this process
	synctest.Test(t, func(t *testing.T) {
		b := budget.New(fixed(100))
		hold := func() (*budget.Lease, func()) {
			ctx, release := budget.Hold(t.Context())
			return b.Lease(ctx), release
		}
		first, endFirst := hold()
		second, endSecond := hold()
		third, endThird := hold()
		goesOn(t, "the first", take(t.Context(), first, 60))
		goesOn(t, "the second, which may take too much as the only one,", take(t.Context(), second, 60))
		goesOn(t, "more of the second", take(t.Context(), second, 60))
		waiting := take(t.Context(), third, 10)
		waits(t, "the third", waiting)
		more := take(t.Context(), first, 10)
		waits(t, "more of the first", more)
		endSecond()
		goesOn(t, "the third", waiting)
		goesOn(t, "more of the first", more)
		endFirst()
		endThird()
		if err := first.Take(t.Context(), 1); err == nil {
			t.Error("a released lease takes")
		}
		time.Sleep(time.Minute) // until the memory is returned to the system
	})
}

// A timeout while waiting for the budget is an error of kind busy.
func TestTimeoutWhileWaitingForTheBudget(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "off")
	synctest.Test(t, func(t *testing.T) {
		b := budget.New(fixed(100))
		for range 2 {
			if err := b.Lease(t.Context()).Take(t.Context(), 60); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := b.Lease(t.Context()).Take(ctx, 60); toolscript.KindOf(err) != toolscript.Busy {
			t.Errorf("no room in time = %v, want busy", err)
		}
		gone, leave := context.WithCancel(t.Context())
		leave()
		if err := b.Lease(t.Context()).Take(gone, 60); !errors.Is(err, context.Canceled) {
			t.Errorf("no room for one who left = %v", err)
		}
	})
}

// Move charges the bytes that a connection has read to the call that they answer.
func TestMove(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "off")
	synctest.Test(t, func(t *testing.T) {
		b := budget.New(fixed(100))
		ctx, release := budget.Hold(t.Context())
		reader, call := b.Lease(t.Context()), b.Lease(ctx)
		if err := reader.Take(t.Context(), 150); err != nil {
			t.Fatal(err)
		}
		reader.Move(call)
		reader.Release()
		other := b.Lease(t.Context())
		waiting := take(t.Context(), other, 10)
		waits(t, "another one", waiting)
		release()
		goesOn(t, "another one", waiting)
		other.Release()
		time.Sleep(time.Minute)
	})
}

func TestBuffer(t *testing.T) {
	var b budget.Buffer
	text := make([]byte, 3<<20)
	for i := range text {
		text[i] = byte(i)
	}
	for at := 0; at < len(text); at += 64 << 10 {
		if err := b.Write(t.Context(), nil, text[at:min(at+64<<10, len(text))], len(text)); err != nil {
			t.Fatal(err)
		}
	}
	if string(b.Bytes()) != string(text) || cap(b.Bytes()) > len(text) {
		t.Errorf("%d bytes in %d; want %d", b.Len(), cap(b.Bytes()), len(text))
	}
}
