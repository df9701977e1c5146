// Package chain keeps the lines of an audit in files. Each line has the hash of the line
// before it, also across files, and the hash of the last line is kept in a second file.
// So a line that is changed, missing or added in between shows, wherever it is.
//
// All processes of a user write one chain, one at a time under a file lock. A line is
// complete when its newline is written. The head is written after the lines, so after a
// kill the files may have lines that the head does not have, and never the other way round.
package chain

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// The other files of the folder: the head of the chain, and the lock of its writers.
const (
	headName = "head.json"
	lockName = "lock"
)

// Options are where a chain is and how long it is kept. A zero limit is its default.
type Options struct {
	Dir       string        // created with mode 0700
	FileBytes int64         // a file with more gets no further lines; default DefaultFileBytes
	FileAge   time.Duration // and one that began longer ago; default DefaultFileAge
	KeepBytes int64         // of all files; the oldest are deleted; default DefaultKeepBytes
	KeepAge   time.Duration // and those that began longer ago; default DefaultKeepAge
}

// The defaults of Options.
const (
	DefaultFileBytes = 16 << 20
	DefaultFileAge   = 24 * time.Hour
	DefaultKeepBytes = 256 << 20
	DefaultKeepAge   = 90 * 24 * time.Hour
)

func (o Options) withDefaults() Options {
	o.FileBytes, o.FileAge = cmp.Or(o.FileBytes, DefaultFileBytes), cmp.Or(o.FileAge, DefaultFileAge)
	o.KeepBytes, o.KeepAge = cmp.Or(o.KeepBytes, DefaultKeepBytes), cmp.Or(o.KeepAge, DefaultKeepAge)
	return o
}

// The types of the lines that the chain writes itself. All other types are the caller's.
const (
	TypeFile   = "file"   // the first line of a file
	TypeTorn   = "torn"   // the line before it was not completed: Bytes and SHA256 of what there is of it
	TypeLost   = "lost"   // lines that the head has are gone: Why
	TypePruned = "pruned" // File, with the last line Last, is deleted because of its age or size
)

// note is a line that the chain writes itself.
type note struct {
	Type   string    `json:"type"`
	Time   time.Time `json:"time"`
	Bytes  int       `json:"bytes,omitempty"`
	SHA256 string    `json:"sha256,omitempty"`
	File   string    `json:"file,omitempty"`
	Last   string    `json:"last,omitempty"`
	Why    string    `json:"why,omitempty"`
}

// link is what every line begins with.
type link struct {
	Seq  int64  `json:"seq"`
	Prev string `json:"prev"` // SHA-256 of the line before, without its newline
}

// head is the last line, in headName.
type head struct {
	File string `json:"file"`
	Size int64  `json:"size"` // of File, up to the end of the line
	Seq  int64  `json:"seq"`
	Hash string `json:"hash"`
}

// headSize is the size of headName. It never changes, so that one write replaces it.
const headSize = 256

// genesis is the Prev of the first line of all.
var genesis = strings.Repeat("0", 2*sha256.Size)

func hashOf(line []byte) string {
	sum := sha256.Sum256(line)
	return hex.EncodeToString(sum[:])
}

var fileName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^audit-(\d{8})\.jsonl$`) })

func nameOf(number int) string { return fmt.Sprintf("audit-%08d.jsonl", number) }

// numberOf is the number in the name of a file.
func numberOf(name string) (number int) {
	if m := fileName().FindStringSubmatch(name); m != nil {
		_, _ = fmt.Sscanf(m[1], "%d", &number) // eight digits
	}
	return number
}

// files are the names of the files of lines, the oldest first.
func files(root *os.Root) ([]string, error) {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if fileName().MatchString(e.Name()) {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// readHead reads the head; nil if there is none. A Writer creates the file before it
// writes the first head.
func readHead(root *os.Root) (*head, error) {
	text, err := root.ReadFile(headName)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(text) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var h head
	if json.Unmarshal(text, &h) != nil || !fileName().MatchString(h.File) {
		return nil, fmt.Errorf("%s is damaged", filepath.Join(root.Name(), headName))
	}
	return &h, nil
}
