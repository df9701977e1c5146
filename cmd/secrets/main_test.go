package secrets_test

import (
	"errors"
	"os"
	"testing"

	zalando "github.com/zalando/go-keyring"
)

// TestMain replaces the keyring, so that the tests do not use that of the user.
func TestMain(m *testing.M) {
	zalando.MockInitWithError(errors.New("no bus"))
	os.Exit(m.Run())
}

// withKeyring gives a test an empty keyring.
func withKeyring(t *testing.T) {
	t.Helper()
	zalando.MockInit()
	t.Cleanup(func() { zalando.MockInitWithError(errors.New("no bus")) })
}
