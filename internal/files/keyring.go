package files

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/zalando/go-keyring"
)

// service is the service name of all items in the keyring.
const service = "toolscript"

// KeyringTime is the maximum duration of an operation. A locked keyring waits for a password, and the
// client library does not support contexts.
const KeyringTime = 5 * time.Second

var (
	// ErrNotInKeyring is the error of an item that does not exist.
	ErrNotInKeyring = keyring.ErrNotFound
	// ErrKeyringBlocked is the error of a keyring that does not answer within KeyringTime.
	ErrKeyringBlocked = errors.New("it does not answer; is it locked?")
)

// blocked is set while an operation runs that has exceeded KeyringTime. Until that operation ends, all
// others fail at once. Actors read the status of logins and must not wait each time.
var blocked atomic.Bool

// KeyringSet stores an item in the keyring of the desktop: Secret Service, Keychain or
// Credential Manager.
func KeyringSet(item, text string) error {
	return call(func() error { return keyring.Set(service, item, text) })
}

// KeyringGet returns an item. The error is ErrNotInKeyring if the item does not exist.
func KeyringGet(item string) (string, error) {
	found := make(chan string, 1)
	err := call(func() error {
		text, err := keyring.Get(service, item)
		found <- text
		return err
	})
	if err != nil {
		return "", err
	}
	return <-found, nil
}

// KeyringDelete removes an item. It returns nil if the item does not exist.
func KeyringDelete(item string) error {
	err := call(func() error { return keyring.Delete(service, item) })
	if errors.Is(err, ErrNotInKeyring) {
		return nil
	}
	return err
}

// CheckKeyring reads from the keyring, and returns an error if it cannot be used.
func CheckKeyring() error {
	if _, err := KeyringGet(""); err != nil && !errors.Is(err, ErrNotInKeyring) {
		return err
	}
	return nil
}

// call runs an operation for at most KeyringTime.
func call(do func() error) error {
	if blocked.Load() {
		return ErrKeyringBlocked
	}
	done := make(chan error, 1)
	go func() {
		done <- do()
		blocked.Store(false)
	}()
	late := time.NewTimer(KeyringTime)
	defer late.Stop()
	select {
	case err := <-done:
		return err
	case <-late.C:
	}
	blocked.Store(true)
	select {
	case err := <-done: // the operation ended at the moment of the timeout
		blocked.Store(false)
		return err
	default:
		return ErrKeyringBlocked
	}
}
