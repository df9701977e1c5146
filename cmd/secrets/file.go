package secrets

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"filippo.io/age"

	"github.com/toolscript/toolscript/internal/files"
)

// maxFile is the maximum size of the encrypted file, far above its usual size.
const maxFile = 64 << 20

// file and key return the paths of the encrypted file, and of the age key that decrypts it.
func (s Store) file() string { return filepath.Join(s.Dir, "secrets.age") }
func (s Store) key() string  { return filepath.Join(s.Dir, "key.txt") }

// load reads and decrypts the file. A missing file counts as empty.
func (s Store) load() (*content, error) {
	c := &content{Secrets: map[string]record{}}
	text, err := os.ReadFile(s.file())
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the secrets: %w", err)
	}
	if err := cmp.Or(files.CheckPrivateDir(s.Dir), files.CheckPrivate(s.file())); err != nil {
		return nil, fmt.Errorf("the secrets are not read: %w", err)
	}
	key, err := s.identity()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the key of the secrets, %s, is missing; restore it, or remove %s and store the secrets again", s.key(), s.file())
	}
	if err != nil {
		return nil, err
	}
	r, err := age.Decrypt(bytes.NewReader(text), key)
	if err == nil {
		text, err = io.ReadAll(io.LimitReader(r, maxFile))
	}
	if err == nil {
		err = json.Unmarshal(text, c)
	}
	if err != nil || c.Secrets == nil {
		return nil, fmt.Errorf("%s is damaged, or does not belong to the key %s; restore both, or remove the first and store the secrets again", s.file(), s.key())
	}
	return c, nil
}

// save encrypts and replaces the file. The caller holds the lock.
func (s Store) save(c *content) error {
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	key, err := s.identity()
	if errors.Is(err, fs.ErrNotExist) {
		key, err = s.newIdentity()
	}
	if err != nil {
		return err
	}
	var out bytes.Buffer
	w, err := age.Encrypt(&out, key.Recipient())
	if err == nil {
		_, err = w.Write(text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return fmt.Errorf("encrypt the secrets: %w", err)
	}
	return files.WriteSynced(s.file(), out.Bytes())
}

// identity reads the key. It fails if another user could have read it.
func (s Store) identity() (*age.X25519Identity, error) {
	text, err := os.ReadFile(s.key())
	if err != nil {
		return nil, err
	}
	if err := files.CheckPrivate(s.key()); err != nil {
		return nil, fmt.Errorf("the key of the secrets is not used: %w", err)
	}
	keys, err := age.ParseIdentities(bytes.NewReader(text))
	if err == nil && len(keys) == 1 {
		if key, ok := keys[0].(*age.X25519Identity); ok {
			return key, nil
		}
	}
	return nil, fmt.Errorf("%s is not a file with one key of age (AGE-SECRET-KEY-1…); restore it", s.key())
}

// newIdentity creates the key.
func (s Store) newIdentity() (*age.X25519Identity, error) {
	key, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, fmt.Errorf("make the key of the secrets: %w", err)
	}
	text := "# The key of the secrets of toolscript. Whoever has it can read secrets.age.\n" + key.String() + "\n"
	if err := files.WriteSynced(s.key(), []byte(text)); err != nil {
		return nil, fmt.Errorf("store the key of the secrets: %w", err)
	}
	return key, nil
}
