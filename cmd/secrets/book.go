package secrets

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/files"
)

// content is the JSON in the encrypted file.
type content struct {
	Secrets map[string]record `json:"secrets"` // by name; never nil
}

// record is one secret.
type record struct {
	Storage string    `json:"storage"`
	Value   string    `json:"value,omitempty"` // only for the storage File
	Changed time.Time `json:"changed"`
	Allowed []Binding `json:"allowed,omitempty"`
}

func (r record) secret(name string) Secret {
	return Secret{Name: name, Storage: r.Storage, Changed: r.Changed, Allowed: slices.Clone(r.Allowed)}
}

// Book is the content of a store at one time. It must not be printed.
type Book struct {
	store   Store
	content *content
}

// Read reads the store. A missing file counts as empty.
func (s Store) Read() (*Book, error) {
	c, err := s.load()
	if err != nil {
		return nil, err
	}
	return &Book{s, c}, nil
}

// List returns the secrets, sorted by name.
func (b *Book) List() []Secret {
	list := make([]Secret, 0, len(b.content.Secrets))
	for _, name := range slices.Sorted(maps.Keys(b.content.Secrets)) {
		list = append(list, b.content.Secrets[name].secret(name))
	}
	return list
}

// Find returns a secret by its name.
func (b *Book) Find(name string) (Secret, bool) {
	r, ok := b.content.Secrets[name]
	return r.secret(name), ok
}

// Value returns the value of a secret that Find has found.
func (b *Book) Value(name string) (string, error) {
	r := b.content.Secrets[name]
	if r.Storage != Keyring {
		return r.Value, nil
	}
	value, err := files.KeyringGet(b.store.item(name))
	switch {
	case errors.Is(err, files.ErrNotInKeyring):
		return "", fmt.Errorf("secret %s is not in the keyring any more; store it again: %s", name, toolscript.Command("secret", "set", name))
	case err != nil:
		return "", fmt.Errorf("secret %s is in the keyring of the desktop, which cannot be used: %w; start or unlock it, or store the secret again: %s", name, err, toolscript.Command("secret", "set", name, "--storage", "file"))
	}
	return value, nil
}
