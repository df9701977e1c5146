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
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Store is the folder with the credentials of all servers. Other processes use
// it at the same time. The zero Store keeps nothing and finds nothing.
type Store struct{ Dir string }

// lockPoll is how often a lock that somebody else holds is tried again: flock
// knows no waiting that ends with a context.
const lockPoll = 20 * time.Millisecond

// maxFile is far more than credentials need.
const maxFile = 1 << 20

var unsafeInName = regexp.MustCompile(`[^A-Za-z0-9_-]`)

// stem is the name of a server as the name of a file.
func stem(server string) string {
	safe := unsafeInName.ReplaceAllString(server, "_")
	if len(safe) > 100 {
		safe = safe[:100]
	}
	return safe
}

// own is the file that no other server can have.
func (s Store) own(server string) string {
	sum := sha256.Sum256([]byte(server))
	return filepath.Join(s.Dir, stem(server)+"-"+hex.EncodeToString(sum[:4])+".json")
}

func (s Store) shared(server string) string { return filepath.Join(s.Dir, stem(server)+".json") }

// Path is the file of a server. Names such as a.b and a_b would share one: it
// belongs to the name that is in it, and the other has a hash in the name of its
// own.
func (s Store) Path(server string) string {
	own, shared := s.own(server), s.shared(server)
	if _, err := os.Stat(own); err == nil {
		return own
	}
	if c, err := read(shared); err == nil && c.Server != "" && c.Server != server {
		return own
	}
	return shared
}

// Stamp is a version of a server's file; two that are equal are of the same one.
type Stamp struct {
	path string
	time time.Time
	size int64
}

// Stamp looks at the file without reading it. A file that is not there has a
// stamp too.
func (s Store) Stamp(server string) Stamp {
	if s.Dir == "" {
		return Stamp{}
	}
	for _, path := range []string{s.own(server), s.shared(server)} {
		if info, err := os.Stat(path); err == nil {
			return Stamp{path, info.ModTime(), info.Size()}
		}
	}
	return Stamp{}
}

// Load reads the credentials of a server. Those of a server that has none are
// the zero value.
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

// read reads a file, and not what the keyring has beside it.
func read(path string) (Credentials, error) {
	info, err := os.Stat(path) //nolint:gosec,nolintlint // G703, seen only beside all packages: a name of our own in the folder of the user
	if err != nil {
		return Credentials{}, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return Credentials{}, fmt.Errorf("%s is not a file of credentials", path)
	}
	text, err := os.ReadFile(path) //nolint:gosec // the name is made of safe characters only
	if err != nil {
		return Credentials{}, err
	}
	c, err := decode(text, info.ModTime())
	if err != nil {
		return c, fmt.Errorf("%s: %w; remove it, and log in again", path, err)
	}
	return c, nil
}

// Save writes the credentials of a server. The caller holds its lock.
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
	before, _ := read(path) // what cannot be read has nothing in the keyring that we could know of
	if c.Keyring {
		if err := c.storeSecrets(path); err != nil { // first: who sees the new file finds them
			return err
		}
	}
	if err := replace(path, text); err != nil {
		return err
	}
	if before.Keyring && !c.Keyring {
		return removeSecrets(path)
	}
	return nil
}

// Delete forgets a server. It reports whether there was anything to forget. The
// caller holds its lock.
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

// Lock waits until no other process, and nobody else in this one, is busy with
// the credentials of a server, or until ctx ends. Servers whose files could be
// the same share a lock.
func (s Store) Lock(ctx context.Context, server string) (unlock func(), err error) {
	if s.Dir == "" {
		return func() {}, nil
	}
	if err := s.prepare(); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(s.Dir, "."+stem(server)+".lock"), flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		return nil, fmt.Errorf("wait for another process that renews the token of %s: %w", server, err)
	}
	return func() { _ = lock.Close() }, nil // the system lets go of it at the latest with the process
}

// prepare makes the folder, for the user alone.
func (s Store) prepare() error {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(s.Dir)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return os.Chmod(s.Dir, 0o700) //nolint:gosec // a folder needs the x
	}
	return nil
}

// replace puts a new file in the place of an old one in one step: a reader sees
// the one or the other. It is on the disk before the old one goes, since the
// refresh token in that one may be spent.
func replace(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".tmp-"+strings.TrimSuffix(filepath.Base(path), ".json")+"-*") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path) //nolint:gosec // the name is made of safe characters only
	}
	if err != nil {
		_ = os.Remove(f.Name()) //nolint:gosec // it is ours; the first error says more
	}
	return err
}
