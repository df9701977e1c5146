package rescue_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/rescue"
)

func broken() { panic("broken") }

func TestInto(t *testing.T) {
	err := func() (err error) {
		defer rescue.Into(&err)
		broken()
		return nil
	}()
	var p *rescue.Error
	if toolscript.KindOf(err) != toolscript.Internal || !errors.As(err, &p) || p.Reason != "broken" || !strings.Contains(string(p.StackTrace()), "rescue_test.broken") {
		t.Errorf("%v, want an internal error with the stack", err)
	}
	if err := func() (err error) { defer rescue.Into(&err); return nil }(); err != nil {
		t.Errorf("without a panic: %v", err)
	}
}

func TestCatch(t *testing.T) {
	caught := ""
	func() {
		defer rescue.Catch(func(p *rescue.Error) { caught = p.Error() })
		broken()
	}()
	if caught != "panic: broken" {
		t.Errorf("caught %q", caught)
	}
	func() {
		defer rescue.Catch(func(p *rescue.Error) { t.Errorf("caught %v without a panic", p) })
	}()
}

func TestRun(t *testing.T) {
	var failure error
	rescue.Run(broken, func(err error) { failure = err; broken() })
	if toolscript.KindOf(failure) != toolscript.Internal {
		t.Errorf("%v, want an internal error", failure)
	}
	failed := make(chan error, 1)
	rescue.Go(broken, func(err error) { failed <- err })
	if err := <-failed; toolscript.KindOf(err) != toolscript.Internal {
		t.Errorf("in a goroutine: %v", err)
	}
	func() {
		defer rescue.Ignore()
		broken()
	}()
}
