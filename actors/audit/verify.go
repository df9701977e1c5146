package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// ChainReport is the result of Verify.
type ChainReport struct {
	Files  int         `json:"files"`
	Lines  int64       `json:"lines"`
	From   *time.Time  `json:"from,omitempty"` // time of the first line
	To     *time.Time  `json:"to,omitempty"`   // time of the last line
	Pruned int         `json:"pruned"`         // files that, according to the chain, were deleted for age or size
	Torn   int         `json:"torn"`           // lines that a process could not complete
	Fault  *ChainFault `json:"fault,omitempty"`
}

// ChainFault is the first place where the chain is broken.
type ChainFault struct {
	File    string `json:"file"`           // path of the file
	Line    int    `json:"line,omitempty"` // number of the line, from 1; 0 means the whole file
	Problem string `json:"problem"`
}

func (f *ChainFault) Error() string {
	if f.Line == 0 {
		return fmt.Sprintf("%s: %s", f.File, f.Problem)
	}
	return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Problem)
}

// ChainLine is one line of the chain.
type ChainLine struct {
	File   string          // name of the file
	Number int             // number in the file, from 1
	Type   string          // member "type"
	Text   json.RawMessage // the whole object
}

// Verify compares every line with the hash in the next line, and the last line with the head.
// The error says that the files could not be read; a broken chain is in the report.
func Verify(dir string) (ChainReport, error) {
	v := verifier{dir: dir, hash: genesis}
	err := Walk(dir, nil, v.walk)
	if errors.Is(err, errBroken) {
		err = nil
	}
	return v.report, err
}

// Walk calls visit with the text of each file, the oldest first; once with the name "" if the folder
// has no files, and never without a folder. It waits a short time for the lock of the writers.
func Walk(dir string, choose func(names []string) []string, visit func(root *os.Root, names []string, name string, text []byte) error) error {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // nothing was written
	lock := flock.New(filepath.Join(dir, lockName), flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(context.Background(), lockTime)
	defer cancel()
	_, _ = lock.TryRLockContext(ctx, lockPoll) // a read-only folder is read without the lock
	defer func() { _ = lock.Close() }()
	names, err := files(root)
	if err != nil {
		return err
	}
	if choose != nil {
		names = choose(names)
	}
	for _, name := range names {
		text, err := root.ReadFile(name)
		if err == nil {
			err = visit(root, names, name, text)
		}
		if err != nil {
			return err
		}
	}
	if len(names) == 0 {
		return visit(root, nil, "", nil)
	}
	return nil
}

// ChainLines calls visit with each line of all files, the oldest first. It skips lines that are not JSON.
func ChainLines(dir string, visit func(ChainLine)) error {
	return Walk(dir, nil, func(_ *os.Root, _ []string, name string, text []byte) error {
		number := 0
		for line := range bytes.Lines(text) {
			number++
			var l struct {
				Type string `json:"type"`
			}
			if json.Unmarshal(line, &l) == nil {
				visit(ChainLine{File: name, Number: number, Type: l.Type, Text: bytes.TrimSuffix(line, []byte("\n"))})
			}
		}
		return nil
	})
}

// errBroken ends the walk of Verify at the first ChainFault.
var errBroken = errors.New("the chain is broken")

// verifier checks a chain from its beginning.
type verifier struct {
	dir    string
	report ChainReport
	seq    int64 // number of the last line
	hash   string
	file   string // file of the last line
	number int    // number of the current line in its file
	good   int    // number of the last line of the chain in its file
	first  link   // first line of the oldest file, if earlier files are missing
	before string // the file before the oldest file
	proven bool   // a line says that the file before was pruned
	junk   []byte // incomplete or foreign lines after the last line
}

func (v *verifier) broken(file string, line int, format string, args ...any) error {
	v.report.Fault = &ChainFault{filepath.Join(v.dir, file), line, fmt.Sprintf(format, args...)}
	return errBroken
}

func (v *verifier) walk(root *os.Root, names []string, name string, text []byte) error {
	if name != "" {
		if err := v.readFile(name, text); err != nil {
			return err
		}
	}
	if name == "" || name == names[len(names)-1] {
		return v.compareHead(root, text)
	}
	if len(v.junk) > 0 {
		return v.broken(name, v.good+1, "this is not a line of the audit, and no later line says why")
	}
	return nil
}

// readFile follows the chain through one file.
func (v *verifier) readFile(name string, text []byte) error {
	previous := v.file
	v.report.Files++
	v.number, v.good = 0, 0
	if v.report.Files > 1 && numberOf(name) != numberOf(previous)+1 {
		return v.broken(name, 1, "the files between %s and this one are missing", previous)
	}
	for line := range bytes.Lines(text) {
		whole := bytes.HasSuffix(line, []byte("\n"))
		line = bytes.TrimSuffix(line, []byte("\n"))
		v.number++
		var l struct {
			link
			note
		}
		if err := json.Unmarshal(line, &l); err != nil || !whole || l.Seq == 0 {
			v.junk = append(append(v.junk, line...), '\n')
			continue
		}
		if err := v.follow(name, line, l.link, l.note); err != nil {
			return err
		}
	}
	return nil
}

// follow checks one line against the previous line.
func (v *verifier) follow(name string, line []byte, l link, n note) error {
	v.file = name
	if v.report.Lines == 0 && numberOf(name) > 1 { // the earlier files may be pruned
		v.seq, v.hash, v.first, v.before = l.Seq-1, l.Prev, l, nameOf(numberOf(name)-1)
	}
	switch {
	case len(v.junk) > 0 && n.Type != TypeTorn:
		return v.broken(name, v.good+1, "this is not a line of the audit, and no later line says why")
	case l.Seq > v.seq+1:
		return v.broken(name, v.number, "%d lines before this one are missing", l.Seq-v.seq-1)
	case l.Seq <= v.seq:
		return v.broken(name, v.number, "this line has the number %d of an earlier line", l.Seq)
	case l.Prev != v.hash && v.number > 1:
		return v.broken(name, v.number-1, "this line was changed: the next line has another hash of it")
	case l.Prev != v.hash:
		return v.broken(name, v.number, "the last line of the previous file was changed: its hash differs from the one in this line")
	}
	if err := v.explain(name, n); err != nil {
		return err
	}
	if v.report.From == nil {
		v.report.From = &n.Time
	}
	v.report.To = &n.Time
	v.report.Lines++
	v.good = v.number
	v.seq, v.hash = l.Seq, hashOf(line)
	return nil
}

// explain handles a line that the chain itself has written.
func (v *verifier) explain(name string, n note) error {
	if junk := v.junk; len(junk) > 0 {
		junk = junk[:len(junk)-1]
		if n.Type != TypeTorn || n.Bytes != len(junk) || n.SHA256 != hashOf(junk) {
			return v.broken(name, v.good+1, "this is not a line of the audit, and no later line says why")
		}
		v.junk = nil
		v.report.Torn++
		return nil
	}
	switch n.Type {
	case TypeLost:
		return v.broken(name, v.number, "lines before this one are missing: %s", n.Why)
	case TypePruned:
		v.report.Pruned++
		if n.File == v.before && n.Last == v.first.Prev {
			v.proven = true
		}
	}
	return nil
}

// compareHead compares the last line with the head. Lines after the head were written by a
// process that was killed, or that has not updated the head yet.
func (v *verifier) compareHead(root *os.Root, last []byte) error {
	if v.before != "" && !v.proven {
		return v.broken(v.before, 0, "the file is missing, and no line says that it was deleted because of its age or size")
	}
	h, err := readHead(root)
	switch {
	case err != nil:
		return v.broken(headName, 0, "the file is damaged")
	case h == nil && v.report.Files == 0:
		return nil
	case h == nil:
		return v.broken(headName, 0, "the file is missing, so it is not known whether the last lines are there")
	case h.Seq > v.seq:
		return v.broken(h.File, v.good+1, "%d lines are missing at the end: the last one has the number %d", h.Seq-v.seq, h.Seq)
	}
	number := 0
	for line := range bytes.Lines(last) {
		number++
		var l link
		if json.Unmarshal(line, &l) == nil && l.Seq == h.Seq && hashOf(bytes.TrimSuffix(line, []byte("\n"))) != h.Hash {
			return v.broken(v.file, number, "this line was changed: %s has another hash of it", headName)
		}
	}
	if len(v.junk) > 0 {
		v.report.Torn++ // the next process adds a line that explains it
	}
	return nil
}
