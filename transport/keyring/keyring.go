// Package keyring keeps texts in the keyring of the desktop: Secret Service, Keychain or
// Credential Manager.
package keyring

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/zalando/go-keyring"
)

// service is the service name of all items.
const service = "toolscript"

// Time bounds one operation. A locked keyring waits for a password, and its client does
// not support a context.
const Time = 5 * time.Second

var (
	// ErrNotFound is the error of an item that does not exist.
	ErrNotFound = keyring.ErrNotFound
	// ErrBlocked is the error of a keyring that does not answer within Time.
	ErrBlocked = errors.New("it does not answer; is it locked?")
)

// blocked is set while an operation has exceeded Time. Until it ends, other operations fail
// immediately, because an actor, which must not wait, asks for the status of logins.
var blocked atomic.Bool

// Set stores an item.
func Set(item, text string) error {
	return call(func() error { return keyring.Set(service, item, text) })
}

// Get returns an item.
func Get(item string) (string, error) {
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

// Delete removes an item. It returns nil if the item does not exist.
func Delete(item string) error {
	err := call(func() error { return keyring.Delete(service, item) })
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// Check reads from the keyring, and returns an error if it cannot be used.
func Check() error {
	if _, err := Get(""); err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	return nil
}

// call runs an operation.
func call(do func() error) error {
	if blocked.Load() {
		return ErrBlocked
	}
	done := make(chan error, 1)
	go func() {
		done <- do()
		blocked.Store(false)
	}()
	late := time.NewTimer(Time)
	defer late.Stop()
	select {
	case err := <-done:
		return err
	case <-late.C:
	}
	blocked.Store(true)
	select {
	case err := <-done: // done just after the timeout
		blocked.Store(false)
		return err
	default:
		return ErrBlocked
	}
}
