package audit

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

// ChainOptions say where a chain is and how long it is kept. A zero limit means the default.
type ChainOptions struct {
	Dir       string        // created with mode 0700
	FileBytes int64         // size after which a new file begins; default DefaultFileBytes
	FileAge   time.Duration // age after which a new file begins; default DefaultFileAge
	KeepBytes int64         // size of all files above which the oldest are deleted; default DefaultKeepBytes
	KeepAge   time.Duration // age above which files are deleted; default DefaultKeepAge
}

// The defaults of ChainOptions.
const (
	DefaultFileBytes = 16 << 20
	DefaultFileAge   = 24 * time.Hour
	DefaultKeepBytes = 256 << 20
	DefaultKeepAge   = 90 * 24 * time.Hour
)

func (o ChainOptions) withDefaults() ChainOptions {
	o.FileBytes, o.FileAge = cmp.Or(o.FileBytes, DefaultFileBytes), cmp.Or(o.FileAge, DefaultFileAge)
	o.KeepBytes, o.KeepAge = cmp.Or(o.KeepBytes, DefaultKeepBytes), cmp.Or(o.KeepAge, DefaultKeepAge)
	return o
}

// The types of the lines that the chain writes itself. All other types are the caller's.
const (
	TypeFile   = "file"   // the first line of a file
	TypeTorn   = "torn"   // the previous line is incomplete; Bytes and SHA256 describe the part that was written
	TypeLost   = "lost"   // lines are missing that the head has counted; Why is the reason
	TypePruned = "pruned" // File, whose last line has the hash Last, is deleted because of its age or size
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

// link has the first members of every line.
type link struct {
	Seq  int64  `json:"seq"`
	Prev string `json:"prev"` // SHA-256 of the previous line, without its newline
}

// head describes the last line, in the file headName.
type head struct {
	File string `json:"file"`
	Size int64  `json:"size"` // size of File up to the end of the line
	Seq  int64  `json:"seq"`
	Hash string `json:"hash"`
}

// headSize is the size of headName. It never changes, so that one write replaces it.
const headSize = 256

// genesis is the Prev of the very first line.
var genesis = strings.Repeat("0", 2*sha256.Size)

func hashOf(line []byte) string {
	sum := sha256.Sum256(line)
	return hex.EncodeToString(sum[:])
}

var fileName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^audit-(\d{8})\.jsonl$`) })

func nameOf(number int) string { return fmt.Sprintf("audit-%08d.jsonl", number) }

// numberOf returns the number in the name of a file.
func numberOf(name string) (number int) {
	if m := fileName().FindStringSubmatch(name); m != nil {
		_, _ = fmt.Sscanf(m[1], "%d", &number) // eight digits
	}
	return number
}

// files returns the names of the files with lines, the oldest first.
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

// readHead reads the head; nil if there is none. A ChainWriter creates the file before it
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
