package keyring_test

import (
	"errors"
	"os"
	"testing"
	"testing/synctest"
	"time"

	zalando "github.com/zalando/go-keyring"

	"github.com/toolscript/toolscript/transport/keyring"
)

// TestMain replaces the keyring, so that the tests do not use that of the user.
func TestMain(m *testing.M) {
	zalando.MockInit()
	os.Exit(m.Run())
}

func TestItems(t *testing.T) {
	if err := keyring.Check(); err != nil {
		t.Fatal(err)
	}
	if _, err := keyring.Get("a"); !errors.Is(err, keyring.ErrNotFound) {
		t.Errorf("a missing item: %v", err)
	}
	for _, text := range []string{"one", "two\nlines"} {
		if err := keyring.Set("a", text); err != nil {
			t.Fatal(err)
		}
		if got, err := keyring.Get("a"); err != nil || got != text {
			t.Errorf("Get = %q, %v; want %q", got, err, text)
		}
	}
	for range 2 {
		if err := keyring.Delete("a"); err != nil {
			t.Errorf("Delete: %v", err)
		}
	}
	if _, err := keyring.Get("a"); !errors.Is(err, keyring.ErrNotFound) {
		t.Errorf("a deleted item: %v", err)
	}
}

func TestNoKeyring(t *testing.T) {
	none := errors.New("no bus")
	zalando.MockInitWithError(none)
	t.Cleanup(zalando.MockInit)
	if err := keyring.Check(); !errors.Is(err, none) {
		t.Errorf("Check = %v", err)
	}
}

// A keyring that waits for its password delays only the first operation, by Time, and no later ones.
func TestLockedKeyring(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		unlocked := make(chan struct{})
		for _, want := range []time.Duration{keyring.Time, 0} {
			begin := time.Now()
			err := keyring.Call(func() error { <-unlocked; return nil })
			if took := time.Since(begin); !errors.Is(err, keyring.ErrBlocked) || took != want {
				t.Errorf("%v after %v, want it after %v", err, took, want)
			}
		}
		close(unlocked)
		synctest.Wait()
		if err := keyring.Call(func() error { return nil }); err != nil {
			t.Errorf("unlocked: %v", err)
		}
	})
}
