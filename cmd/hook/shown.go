package hook

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/toolscript/toolscript/internal/files"
)

// keep is how long the state of a session is kept after its last suggestion.
const keep = 7 * 24 * time.Hour

const shownFile = "suggested.json"

// SuggestionSessions is the folder of the states of sessions. Each session has a folder in it.
type SuggestionSessions string

// New returns the suggestions of tools that the session has not been shown, and records
// them. It deletes the folders of sessions without a suggestion for a week.
func (s SuggestionSessions) New(session string, all []Suggestion) ([]Suggestion, error) {
	sum := sha256.Sum256([]byte(session))
	dir := filepath.Join(string(s), hex.EncodeToString(sum[:16]))
	path := filepath.Join(dir, shownFile)
	shown, err := read(path)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(slices.Clone(all), func(s Suggestion) bool { return slices.Contains(shown, s.Tool.ID()) })
	if len(all) == 0 {
		return nil, nil
	}
	for _, s := range all {
		shown = append(shown, s.Tool.ID())
	}
	text, err := json.Marshal(shown)
	if err != nil {
		return nil, err
	}
	if err := files.PrivateDir(string(s)); err != nil {
		return nil, err
	}
	s.prune(time.Now().Add(-keep))
	if err := files.PrivateDir(dir); err != nil {
		return nil, err
	}
	return all, files.Write(path, text)
}

// read returns the tool ids in a file. A damaged file counts as empty.
func read(path string) (ids []string, err error) {
	text, err := os.ReadFile(path) //nolint:gosec // the path contains a hash
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if json.Unmarshal(text, &ids) != nil {
		return nil, nil //nolint:nilerr // the tools are shown once more
	}
	return ids, nil
}

// prune deletes the folders of sessions whose state was last written before a time. A
// folder that cannot be deleted stays until the next time.
func (s SuggestionSessions) prune(before time.Time) {
	states, _ := filepath.Glob(filepath.Join(string(s), "*", shownFile)) // the pattern is valid
	for _, path := range states {
		if info, err := os.Lstat(path); err == nil && info.ModTime().Before(before) {
			_ = os.Remove(path)
			_ = os.Remove(filepath.Dir(path))
		}
	}
}
