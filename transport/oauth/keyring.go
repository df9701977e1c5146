package oauth

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/zalando/go-keyring"
)

// The places for what is secret of a login. What is not, is in the file of the
// server either way: it is what other processes look at and lock.
const (
	StorageFile    = "file"    // the default
	StorageKeyring = "keyring" // of the desktop session: Secret Service, Keychain, Credential Manager
)

// ringService is the name that keyrings show for our items. Each has the path of
// the server's file as its user.
const ringService = "toolscript"

// ringTime is how long a keyring may take. One that is locked asks the person,
// who may be elsewhere, and its client knows no context.
const ringTime = 5 * time.Second

// ringStuck is set while an operation waits for longer than ringTime. The next
// ones do not wait as well: an actor asks for the status of a login.
var ringStuck atomic.Bool

var errRingStuck = errors.New("it does not answer; is it locked?")

// secrets are what is kept in the keyring.
type secrets struct {
	Access       string `json:"access_token,omitempty"`  //nolint:gosec // the keyring is the place for it
	Refresh      string `json:"refresh_token,omitempty"` //nolint:gosec // the same
	ClientSecret string `json:"client_secret,omitempty"` //nolint:gosec // the same
}

// storeSecrets puts the secrets of credentials into the keyring.
func (c Credentials) storeSecrets(path string) error {
	text, err := json.Marshal(secrets{string(c.Token.Access), string(c.Token.Refresh), string(c.Client.Secret)})
	if err != nil {
		return err
	}
	return ring(func() error { return keyring.Set(ringService, path, string(text)) })
}

// fetchSecrets completes credentials of a file. Those whose secrets somebody has
// removed from the keyring are those of nobody.
func (c *Credentials) fetchSecrets(path string) error {
	found := make(chan string, 1)
	err := ring(func() error {
		text, err := keyring.Get(ringService, path)
		found <- text
		return err
	})
	if errors.Is(err, keyring.ErrNotFound) {
		c.Token, c.Client = Token{}, Client{}
		return nil
	}
	if err != nil {
		return err
	}
	var s secrets
	if json.Unmarshal([]byte(<-found), &s) != nil {
		return fmt.Errorf("the item %s of the system keyring is not one of ours; remove it, and log in again", path)
	}
	c.Token.Access, c.Token.Refresh, c.Client.Secret = Secret(s.Access), Secret(s.Refresh), Secret(s.ClientSecret)
	return nil
}

// removeSecrets empties the keyring of a server.
func removeSecrets(path string) error {
	err := ring(func() error { return keyring.Delete(ringService, path) })
	if errors.Is(err, keyring.ErrNotFound) {
		return nil
	}
	return err
}

// ring does something with the keyring, and gives its errors the next step.
func ring(do func() error) error {
	err := errRingStuck
	if !ringStuck.Load() {
		err = timely(do)
	}
	if err == nil || errors.Is(err, keyring.ErrNotFound) {
		return err
	}
	return fmt.Errorf(`oauth.storage is "keyring", and the system keyring cannot be used: %w; `+
		`start or unlock it, or set oauth.storage to "file"`, err)
}

func timely(do func() error) error {
	done := make(chan error, 1)
	go func() {
		done <- do()
		ringStuck.Store(false)
	}()
	late := time.NewTimer(ringTime)
	defer late.Stop()
	select {
	case err := <-done:
		return err
	case <-late.C:
	}
	ringStuck.Store(true)
	select {
	case err := <-done: // in the moment between the two
		ringStuck.Store(false)
		return err
	default:
		return errRingStuck
	}
}
