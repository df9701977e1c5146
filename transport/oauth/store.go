package oauth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"github.com/toolscript/toolscript/internal/files"
)

// Store is the folder of the credentials of all servers. Other processes use it at
// the same time. The zero Store stores nothing.
type Store struct{ Dir string }

// maxFile is the maximum size of a file of credentials in bytes. Real files are much smaller.
const maxFile = 1 << 20

var unsafeInName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Za-z0-9_-]`) })

// stem returns the name of a server as part of a file name.
func stem(server string) string {
	safe := unsafeInName().ReplaceAllString(server, "_")
	if len(safe) > 100 {
		safe = safe[:100]
	}
	return safe
}

// own returns a path that no other server can have.
func (s Store) own(server string) string {
	sum := sha256.Sum256([]byte(server))
	return filepath.Join(s.Dir, stem(server)+"-"+hex.EncodeToString(sum[:4])+".json")
}

func (s Store) shared(server string) string { return filepath.Join(s.Dir, stem(server)+".json") }

// Path returns the path of a server's file. Names such as a.b and a_b have the same stem. Then the
// file without a hash in its name belongs to the server whose name it contains, and the file of
// the other server has a hash in its name.
func (s Store) Path(server string) string {
	own, shared := s.own(server), s.shared(server)
	if _, err := os.Stat(own); err == nil { //nolint:gosec,nolintlint // G703, reported only with all packages: the path is built from safe characters in the user's folder
		return own
	}
	if c, err := read(shared); err == nil && c.Server != "" && c.Server != server {
		return own
	}
	return shared
}

// Stamp identifies a version of a server's file. Equal stamps mean the same version.
type Stamp struct {
	path string
	time time.Time
	size int64
}

// Stamp returns the stamp of a server's file without reading the file. A missing file also has a
// stamp.
func (s Store) Stamp(server string) Stamp {
	if s.Dir == "" {
		return Stamp{}
	}
	for _, path := range []string{s.own(server), s.shared(server)} {
		if info, err := os.Stat(path); err == nil { //nolint:gosec,nolintlint // G703, reported only with all packages: the path is built from safe characters in the user's folder
			return Stamp{path, info.ModTime(), info.Size()}
		}
	}
	return Stamp{}
}

// Load reads the credentials of a server. They are zero if there are none.
func (s Store) Load(server string) (Credentials, error) {
	if s.Dir == "" {
		return Credentials{}, nil
	}
	path := s.Path(server)
	c, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Credentials{}, nil
	}
	if err == nil && c.Keyring {
		err = c.fetchSecrets(path)
	}
	return c, err
}

// read reads a file, without the secrets in the keyring.
func read(path string) (Credentials, error) {
	info, err := os.Stat(path) //nolint:gosec,nolintlint // G703, reported only with all packages: the path is built from safe characters in the user's folder
	if err != nil {
		return Credentials{}, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return Credentials{}, fmt.Errorf("%s is not a file of credentials", path)
	}
	text, err := os.ReadFile(path) //nolint:gosec // the name has safe characters only
	if err != nil {
		return Credentials{}, err
	}
	c, err := decode(text)
	if err != nil {
		return c, fmt.Errorf("%s: %w; remove it, and log in again", path, err)
	}
	return c, nil
}

// Save writes the credentials of a server. The caller must hold the lock; see Lock.
func (s Store) Save(server string, c Credentials) error {
	if s.Dir == "" {
		return nil
	}
	c.Server = server
	text, err := c.encode()
	if err != nil {
		return err
	}
	if err := s.prepare(); err != nil {
		return err
	}
	path := s.Path(server)
	before, _ := read(path) // after an error, no item in the keyring is known
	if c.Keyring {
		if err := c.storeSecrets(path); err != nil { // before the file, so that readers of the new file find the secrets
			return err
		}
	}
	// The refresh token in the old file may be used up.
	if err := files.WriteSynced(path, text); err != nil {
		return err
	}
	if before.Keyring && !c.Keyring {
		return removeSecrets(path)
	}
	return nil
}

// Delete removes the credentials of a server, and reports whether there were any. The caller must
// hold the lock; see Lock.
func (s Store) Delete(server string) (bool, error) {
	path := s.Path(server)
	if c, err := read(path); err == nil && c.Keyring {
		if err := removeSecrets(path); err != nil {
			return false, err
		}
	}
	err := os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Lock locks the credentials of a server against all other processes and goroutines. It waits for
// the lock until ctx ends. Servers with the same stem share a lock.
func (s Store) Lock(ctx context.Context, server string) (unlock func(), err error) {
	if s.Dir == "" {
		return func() {}, nil
	}
	if err := s.prepare(); err != nil {
		return nil, err
	}
	unlock, err = files.Lock(ctx, filepath.Join(s.Dir, "."+stem(server)+".lock"))
	if err != nil {
		return nil, fmt.Errorf("wait for another process that renews the token of %s: %w", server, err)
	}
	return unlock, nil
}

// prepare creates the folder, for the user only.
func (s Store) prepare() error {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(s.Dir)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return os.Chmod(s.Dir, 0o700) //nolint:gosec // a folder needs the x bit
	}
	return nil
}
