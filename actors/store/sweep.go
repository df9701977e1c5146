package store

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	suffix = ".db"
	// sessionAge is how long the values of a session are kept after their last change.
	sessionAge = 30 * 24 * time.Hour
	// sweepTime is the time between two sweeps.
	sweepTime = time.Hour
)

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// sweep removes the files of old sessions, and temporary files of killed gateways.
func (s *Store) sweep() {
	if time.Since(s.swept) < sweepTime {
		return
	}
	s.swept = time.Now()
	entries, _ := os.ReadDir(s.options.Folder) // without the folder there is nothing to remove
	for _, e := range entries {
		age := sessionAge
		switch {
		case strings.HasPrefix(e.Name(), "new-"):
			age = sweepTime
		case !strings.HasPrefix(e.Name(), Session+"-"):
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > age {
			_ = os.RemoveAll(filepath.Join(s.options.Folder, e.Name())) // another gateway may have done so
		}
	}
}

// forget removes the values of clients without a session, which end with the gateway.
func (s *Store) forget() {
	_ = os.Remove(s.path(Session, s.life)) // the file may not exist
}
