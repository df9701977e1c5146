package oauth

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/zalando/go-keyring"
)

// Storages for the secrets of a login. All other data is in the server's file, which
// other processes read and lock.
const (
	StorageFile    = "file"    // the default
	StorageKeyring = "keyring" // Secret Service, Keychain or Credential Manager
)

// keyringService is the service name of the items in the keyring. The user name is the
// path of the server's file.
const keyringService = "toolscript"

// keyringTime bounds one operation. A locked keyring waits for a password, and its
// client does not support a context.
const keyringTime = 5 * time.Second

// keyringBlocked is set while an operation has exceeded keyringTime. Until it ends, other
// operations fail immediately, because an actor asks for the status of logins.
var keyringBlocked atomic.Bool

var errKeyringBlocked = errors.New("it does not answer; is it locked?")

// secrets is the JSON in the keyring.
type secrets struct {
	Access       string `json:"access_token,omitempty"`  //nolint:gosec // the keyring stores secrets
	Refresh      string `json:"refresh_token,omitempty"` //nolint:gosec // the keyring stores secrets
	ClientSecret string `json:"client_secret,omitempty"` //nolint:gosec // the keyring stores secrets
}

func (c Credentials) storeSecrets(path string) error {
	text, err := json.Marshal(secrets{string(c.Token.Access), string(c.Token.Refresh), string(c.Client.Secret)})
	if err != nil {
		return err
	}
	return callKeyring(func() error { return keyring.Set(keyringService, path, string(text)) })
}

// fetchSecrets adds the secrets in the keyring to the credentials of a file. If they
// were removed from the keyring, there is no login.
func (c *Credentials) fetchSecrets(path string) error {
	found := make(chan string, 1)
	err := callKeyring(func() error {
		text, err := keyring.Get(keyringService, path)
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

// CheckKeyring reads from the system keyring, and returns an error with the next step if
// it cannot be used.
func CheckKeyring() error {
	err := callKeyring(func() error {
		_, err := keyring.Get(keyringService, "")
		return err
	})
	if errors.Is(err, keyring.ErrNotFound) {
		return nil
	}
	return err
}

// removeSecrets deletes a server's item from the keyring.
func removeSecrets(path string) error {
	err := callKeyring(func() error { return keyring.Delete(keyringService, path) })
	if errors.Is(err, keyring.ErrNotFound) {
		return nil
	}
	return err
}

// callKeyring runs an operation of the keyring. Its errors name the next step.
func callKeyring(do func() error) error {
	err := errKeyringBlocked
	if !keyringBlocked.Load() {
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
		keyringBlocked.Store(false)
	}()
	late := time.NewTimer(keyringTime)
	defer late.Stop()
	select {
	case err := <-done:
		return err
	case <-late.C:
	}
	keyringBlocked.Store(true)
	select {
	case err := <-done: // done just after the timeout
		keyringBlocked.Store(false)
		return err
	default:
		return errKeyringBlocked
	}
}
