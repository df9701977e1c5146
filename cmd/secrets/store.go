// Package secrets keeps the secrets of servers: their values, in the keyring of the desktop
// or in a file encrypted with age, and which servers may have them.
package secrets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/toolscript/toolscript/internal/files"
)

// Storages of values.
const (
	Keyring = "keyring" // Secret Service, Keychain or Credential Manager
	File    = "file"    // the store's encrypted file
)

// Store is a folder that only the user can read. Other processes may use it at the same
// time.
type Store struct{ Dir string }

// Secret is a secret without its value.
type Secret struct {
	Name    string
	Storage string // Keyring or File
	Changed time.Time
	Allowed []Binding // definitions of servers that may have the secret
}

// Binding identifies one definition of a server.
type Binding struct {
	Server   string    `json:"server"`
	File     string    `json:"file"`     // path of the configuration file with the definition
	Identity string    `json:"identity"` // hash of the definition
	At       time.Time `json:"at"`
}

// place reports whether two bindings are about the same server of the same file.
func (b Binding) place(other Binding) bool { return b.Server == other.Server && b.File == other.File }

// Allows reports whether this definition of a server may have the secret.
func (s Secret) Allows(server, file, identity string) bool {
	return slices.ContainsFunc(s.Allowed, func(b Binding) bool {
		return b.Server == server && b.File == file && b.Identity == identity
	})
}

// Knew reports whether any definition of the server was allowed to have the secret.
func (s Secret) Knew(server, file string) bool {
	return slices.ContainsFunc(s.Allowed, Binding{Server: server, File: file}.place)
}

// New is a secret to store.
type New struct {
	Name, Value string
	Storage     string    // "" is the keyring if there is one, else the file
	Allowed     []Binding // nil keeps the servers that may have the present secret of that name
}

// Set stores a secret. replaced reports whether there was a secret of that name.
func (s Store) Set(ctx context.Context, n New) (stored Secret, replaced bool, err error) {
	if err := cmp.Or(CheckName(n.Name), CheckValue(n.Value)); err != nil {
		return stored, false, err
	}
	storage, err := chosen(n.Storage)
	if err != nil {
		return stored, false, err
	}
	err = s.change(ctx, func(c *content) error {
		before, had := c.Secrets[n.Name]
		replaced = had
		r := record{Storage: storage, Changed: now(), Allowed: before.Allowed}
		if n.Allowed != nil {
			r.Allowed = nil
			for _, b := range n.Allowed {
				b.At = now()
				r.Allowed = append(r.Allowed, b)
			}
		}
		if storage == Keyring {
			if err := files.KeyringSet(s.item(n.Name), n.Value); err != nil {
				return fmt.Errorf("the keyring does not take the secret %s: %w; store it with --storage file", n.Name, err)
			}
		} else {
			r.Value = n.Value
		}
		if before.Storage == Keyring && storage != Keyring {
			if err := files.KeyringDelete(s.item(n.Name)); err != nil {
				return fmt.Errorf("the secret %s was not removed from the keyring: %w", n.Name, err)
			}
		}
		c.Secrets[n.Name] = r
		stored = r.secret(n.Name)
		return nil
	})
	return stored, replaced, err
}

// now returns the current time with the precision of the store.
func now() time.Time { return time.Now().UTC().Truncate(time.Second) }

// chosen returns the storage of a new value. It does not fall back to the file if the
// keyring is locked.
func chosen(storage string) (string, error) {
	if storage == File {
		return File, nil
	}
	err := files.CheckKeyring()
	switch {
	case err == nil:
		return Keyring, nil
	case storage == Keyring || errors.Is(err, files.ErrKeyringBlocked):
		return "", fmt.Errorf("the keyring of the desktop cannot be used: %w; start or unlock it, or use --storage file", err)
	default:
		return File, nil
	}
}

// Allow lets servers have secrets. allowed has the bindings by the names of the secrets. A
// binding replaces that of an earlier definition of the server in the same file.
func (s Store) Allow(ctx context.Context, allowed map[string][]Binding) error {
	return s.change(ctx, func(c *content) error {
		for name, bindings := range allowed {
			r, ok := c.Secrets[name]
			if !ok {
				return fmt.Errorf("the secret %s was removed", name)
			}
			for _, b := range bindings {
				b.At = now()
				r.Allowed = append(slices.DeleteFunc(slices.Clone(r.Allowed), b.place), b)
			}
			c.Secrets[name] = r
		}
		return nil
	})
}

// Remove deletes a secret. found is false if there is no secret of that name.
func (s Store) Remove(ctx context.Context, name string) (removed Secret, found bool, err error) {
	book, err := s.Read()
	if err != nil {
		return removed, false, err
	}
	if _, found = book.Find(name); !found {
		return removed, false, nil
	}
	err = s.change(ctx, func(c *content) error {
		var r record
		if r, found = c.Secrets[name]; !found {
			return nil
		}
		if r.Storage == Keyring {
			if err := files.KeyringDelete(s.item(name)); err != nil {
				return fmt.Errorf("the secret %s was not removed from the keyring: %w", name, err)
			}
		}
		removed = r.secret(name)
		delete(c.Secrets, name)
		return nil
	})
	return removed, found, err
}

// change edits the file under the lock of the store.
func (s Store) change(ctx context.Context, edit func(*content) error) error {
	unlock, err := files.LockFolder(ctx, s.Dir)
	if err != nil {
		return fmt.Errorf("the folder of secrets: %w", err)
	}
	defer unlock()
	c, err := s.load()
	if err != nil {
		return err
	}
	if err := edit(c); err != nil {
		return err
	}
	return s.save(c)
}

// item returns the name of a secret in the keyring.
func (s Store) item(name string) string { return filepath.Join(s.Dir, name) }
