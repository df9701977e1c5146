package oauth

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/toolscript/toolscript/internal/files"
)

// Storages for the secrets of a login. In the keyring, the name of an item is the path of the
// server's file. All other data is in that file, which other processes read and lock.
const (
	StorageFile    = "file"    // the default
	StorageKeyring = "keyring" // Secret Service, Keychain or Credential Manager
)

// secrets is the JSON form of an item in the keyring.
type secrets struct {
	Access       string `json:"access_token,omitempty"`  //nolint:gosec // the keyring stores secrets
	Refresh      string `json:"refresh_token,omitempty"` //nolint:gosec // the keyring stores secrets
	ClientSecret string `json:"client_secret,omitempty"` //nolint:gosec // the keyring stores secrets
	Proof        string `json:"dpop_key,omitempty"`
}

func (c Credentials) storeSecrets(path string) error {
	text, err := json.Marshal(secrets{string(c.Token.Access), string(c.Token.Refresh), string(c.Client.Secret), string(c.Token.Proof)})
	if err != nil {
		return err
	}
	return explained(files.KeyringSet(path, string(text)))
}

// fetchSecrets adds the secrets in the keyring to the credentials of a file. If the item was removed
// from the keyring, fetchSecrets removes the login from the credentials.
func (c *Credentials) fetchSecrets(path string) error {
	text, err := files.KeyringGet(path)
	if errors.Is(err, files.ErrNotInKeyring) {
		c.Token, c.Client = Token{}, Client{}
		return nil
	}
	if err != nil {
		return explained(err)
	}
	var s secrets
	if json.Unmarshal([]byte(text), &s) != nil {
		return fmt.Errorf("the item %s of the system keyring is not one of ours; remove it, and log in again", path)
	}
	c.Token.Access, c.Token.Refresh, c.Client.Secret = Secret(s.Access), Secret(s.Refresh), Secret(s.ClientSecret)
	c.Token.Proof = Secret(s.Proof)
	return nil
}

// CheckKeyring reads from the system keyring, and returns an error with the next step if
// it cannot be used.
func CheckKeyring() error { return explained(files.CheckKeyring()) }

// removeSecrets deletes a server's item from the keyring.
func removeSecrets(path string) error { return explained(files.KeyringDelete(path)) }

// explained adds the next step to an error of the keyring.
func explained(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf(`oauth.storage is "keyring", and the system keyring cannot be used: %w; `+
		`start or unlock it, or set oauth.storage to "file"`, err)
}
