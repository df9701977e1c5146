package files_test

import (
	"errors"
	"os"
	"testing"
	"testing/synctest"
	"time"

	zalando "github.com/zalando/go-keyring"

	"github.com/toolscript/toolscript/internal/files"
)

// programs maps values of the environment variable PROGRAM_TEST to functions that the test binary runs instead of the tests.
var programs = map[string]func() int{}

// TestMain replaces the keyring, so that the tests do not use that of the user.
func TestMain(m *testing.M) {
	if act := programs[os.Getenv("PROGRAM_TEST")]; act != nil {
		os.Exit(act())
	}
	zalando.MockInit()
	os.Exit(m.Run())
}

func TestItems(t *testing.T) {
	if err := files.CheckKeyring(); err != nil {
		t.Fatal(err)
	}
	if _, err := files.KeyringGet("a"); !errors.Is(err, files.ErrNotInKeyring) {
		t.Errorf("a missing item: %v", err)
	}
	for _, text := range []string{"one", "two\nlines"} {
		if err := files.KeyringSet("a", text); err != nil {
			t.Fatal(err)
		}
		if got, err := files.KeyringGet("a"); err != nil || got != text {
			t.Errorf("Get = %q, %v; want %q", got, err, text)
		}
	}
	for range 2 {
		if err := files.KeyringDelete("a"); err != nil {
			t.Errorf("Delete: %v", err)
		}
	}
	if _, err := files.KeyringGet("a"); !errors.Is(err, files.ErrNotInKeyring) {
		t.Errorf("a deleted item: %v", err)
	}
}

func TestNoKeyring(t *testing.T) {
	none := errors.New("no bus")
	zalando.MockInitWithError(none)
	t.Cleanup(zalando.MockInit)
	if err := files.CheckKeyring(); !errors.Is(err, none) {
		t.Errorf("Check = %v", err)
	}
}

// TestLockedKeyring: a keyring that waits for its password delays the first operation by KeyringTime, and later operations not at all.
func TestLockedKeyring(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		unlocked := make(chan struct{})
		for _, want := range []time.Duration{files.KeyringTime, 0} {
			begin := time.Now()
			err := files.Call(func() error { <-unlocked; return nil })
			if took := time.Since(begin); !errors.Is(err, files.ErrKeyringBlocked) || took != want {
				t.Errorf("%v after %v, want it after %v", err, took, want)
			}
		}
		close(unlocked)
		synctest.Wait()
		if err := files.Call(func() error { return nil }); err != nil {
			t.Errorf("unlocked: %v", err)
		}
	})
}
