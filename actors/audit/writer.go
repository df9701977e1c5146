package audit

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/gofrs/flock"
)

const (
	// lockTime bounds the wait for the lock. A process that is stopped may hold it.
	lockTime = 2 * time.Second
	// lockPoll is the time between two attempts, because flock cannot wait with a limit.
	lockPoll = 5 * time.Millisecond
)

// ChainWriter appends lines. Only one goroutine may use it at a time.
type ChainWriter struct {
	options ChainOptions
	root    *os.Root
	lock    *flock.Flock
	file    *os.File // the last file
	began   time.Time
	headAt  *os.File
	head    head   // the head that this ChainWriter wrote last
	text    []byte // memory for lines
}

// NewChainWriter returns a ChainWriter. It creates nothing before the first line.
func NewChainWriter(o ChainOptions) *ChainWriter { return &ChainWriter{options: o.withDefaults()} }

// Append adds lines to the end of the chain. An entry is a JSON object without a newline. If the
// error is not nil, none of the lines is in the chain.
func (w *ChainWriter) Append(entries [][]byte, now time.Time) error {
	if err := w.open(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockTime)
	defer cancel()
	if held, err := w.lock.TryLockContext(ctx, lockPoll); err != nil || !held {
		return fmt.Errorf("the lock of the audit is not free: %w", errors.Join(err, ctx.Err()))
	}
	defer func() { _ = w.lock.Unlock() }() // closing the file also unlocks it
	err := w.follow(now)
	if err == nil {
		err = w.rotate(now)
	}
	if err == nil {
		err = w.write(entries)
	}
	if err != nil {
		w.forget()
	}
	return err
}

// Close closes the files.
func (w *ChainWriter) Close() {
	w.forget()
	if w.headAt != nil {
		_ = w.headAt.Close() // every write was checked
		_ = w.lock.Close()
		_ = w.root.Close()
		w.headAt = nil
	}
}

// File returns the name of the file with the last line.
func (w *ChainWriter) File() string { return w.head.File }

func (w *ChainWriter) open() (err error) {
	if w.headAt != nil {
		return nil
	}
	if err := os.MkdirAll(w.options.Dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(w.options.Dir)
	if err != nil {
		return err
	}
	headAt, err := root.OpenFile(headName, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		_ = root.Close() // the first error says more
		return err
	}
	w.root, w.headAt = root, headAt
	w.lock = flock.New(filepath.Join(w.options.Dir, lockName), flock.SetPermissions(0o600))
	return nil
}

// forget makes the next Append read the files again.
func (w *ChainWriter) forget() {
	if w.file != nil {
		_ = w.file.Close() // every write was checked
	}
	w.file, w.head = nil, head{}
}

// follow makes w.head the last line of the chain, which another process may have written.
func (w *ChainWriter) follow(now time.Time) error {
	if w.file != nil && w.unchanged() {
		return nil
	}
	w.forget()
	names, err := files(w.root)
	if err != nil {
		return err
	}
	before, damaged := readHead(w.root)
	switch {
	case len(names) > 0:
		return w.resume(names, before, now)
	case before != nil && before.Seq > 0:
		return w.restart(*before, now)
	}
	// Write the head before the first file, so that files never exist without a head.
	if _, err := w.headAt.WriteAt(head{File: nameOf(1), Hash: genesis}.text(), 0); err != nil {
		return err
	}
	if err := w.begin(1, head{Hash: genesis}, now); err != nil || damaged == nil || before != nil {
		return err
	}
	return w.note(note{Type: TypeLost, Time: now, Why: headName + " was damaged, and there were no files"})
}

// unchanged reports whether no other process has written since w.
func (w *ChainWriter) unchanged() bool {
	var text [headSize]byte
	if _, err := w.headAt.ReadAt(text[:], 0); err != nil || !bytes.Equal(text[:], w.head.text()) {
		return false
	}
	info, err := w.file.Stat()
	if err != nil || info.Size() != w.head.Size {
		return false
	}
	there, err := w.root.Stat(w.head.File) // the file may have been deleted or replaced
	return err == nil && os.SameFile(info, there)
}

// begin creates a file and writes its first line.
func (w *ChainWriter) begin(number int, last head, now time.Time) error {
	name := nameOf(number)
	f, err := w.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	w.forget()
	w.file, w.began = f, now
	w.head = head{File: name, Seq: last.Seq, Hash: last.Hash}
	if err := w.note(note{Type: TypeFile, Time: now, File: last.File}); err != nil {
		return errors.Join(err, w.root.Remove(name))
	}
	return nil
}

// restart begins a file after all files have been deleted.
func (w *ChainWriter) restart(last head, now time.Time) error {
	if err := w.begin(numberOf(last.File)+1, head{Seq: last.Seq, Hash: last.Hash}, now); err != nil {
		return err
	}
	return w.note(note{Type: TypeLost, Time: now, File: last.File, Last: last.Hash, Why: "all files were deleted"})
}

// resume continues the last file. Lines after the head come from a process that was killed
// before it wrote the head.
func (w *ChainWriter) resume(names []string, before *head, now time.Time) (err error) {
	name := names[len(names)-1]
	if w.file, err = w.root.OpenFile(name, os.O_RDWR, 0); err != nil {
		return err
	}
	info, err := w.file.Stat()
	if err != nil {
		return err
	}
	if before != nil && before.File == name && before.Size == info.Size() && before.Size > 0 {
		w.head, w.began = *before, openingOf(w.file).Time
		return nil
	}
	text, err := io.ReadAll(w.file)
	if err != nil {
		return err
	}
	if n := len(text); n > 0 && text[n-1] != '\n' && continues(text) {
		w.head.Size = int64(n)
		if err := w.put([]byte("\n")); err != nil {
			return err
		}
		text = append(text, '\n')
	}
	last := ending(text)
	fresh := last.Seq == 0
	w.head, w.began = head{File: name, Size: int64(len(text)), Seq: last.Seq, Hash: last.Hash}, last.began
	if fresh && len(names) > 1 {
		previous, err := w.root.ReadFile(names[len(names)-2])
		if err != nil {
			return err
		}
		of := ending(previous)
		w.head.Seq, w.head.Hash, w.began = of.Seq, of.Hash, now
	}
	why := ""
	switch {
	case before == nil:
		why = headName + " was missing or damaged"
	case before.Seq > w.head.Seq:
		why = fmt.Sprintf("line %d of the chain, in %s, was the last one and is missing", before.Seq, before.File)
	case before.File == name && before.Seq > 0 && hashAt(text, before.Seq) != before.Hash:
		why = fmt.Sprintf("line %d of the chain was changed", before.Seq)
	}
	return w.repair(text[last.Size:], fresh, why, now)
}

// repair ends an incomplete line with a newline, and adds a line that describes it.
func (w *ChainWriter) repair(torn []byte, fresh bool, why string, now time.Time) error {
	if len(torn) > 0 {
		if torn[len(torn)-1] == '\n' {
			torn = torn[:len(torn)-1]
		} else if err := w.put([]byte("\n")); err != nil {
			return err
		}
		if err := w.note(note{Type: TypeTorn, Time: now, Bytes: len(torn), SHA256: hashOf(torn)}); err != nil {
			return err
		}
	}
	if fresh {
		if err := w.note(note{Type: TypeFile, Time: now}); err != nil {
			return err
		}
	}
	if why == "" {
		return nil
	}
	return w.note(note{Type: TypeLost, Time: now, Why: why})
}

// end describes the last line of the chain in the text of a file.
type end struct {
	head
	began time.Time
}

// ending finds the last line of the chain in the text of a file. It does not check the chain;
// Verify does.
func ending(text []byte) (e end) {
	e.Hash = genesis
	first := true
	for at := 0; at < len(text); {
		n := bytes.IndexByte(text[at:], '\n')
		if n < 0 {
			break
		}
		line := text[at : at+n]
		at += n + 1
		var l struct {
			link
			Time time.Time `json:"time"`
		}
		if json.Unmarshal(line, &l) != nil || l.Seq == 0 {
			continue
		}
		if first {
			e.began, first = l.Time, false
		}
		e.Seq, e.Hash, e.Size = l.Seq, hashOf(line), int64(at)
	}
	return e
}

// continues reports whether a text ends with a line of the chain that lacks only its newline.
func continues(text []byte) bool {
	last := ending(text)
	var l link
	return json.Unmarshal(text[last.Size:], &l) == nil && l.Seq == last.Seq+1 && l.Prev == last.Hash
}

// hashAt returns the hash of the line with a number; "" if there is no such line.
func hashAt(text []byte, seq int64) (hash string) {
	for line := range bytes.Lines(text) {
		var l link
		if json.Unmarshal(line, &l) == nil && l.Seq == seq {
			hash = hashOf(bytes.TrimSuffix(line, []byte("\n")))
		}
	}
	return hash
}

// rotate begins a new file if the last one is large or old, and deletes the oldest files.
func (w *ChainWriter) rotate(now time.Time) error {
	if w.head.Size < w.options.FileBytes && now.Sub(w.began) < w.options.FileAge {
		return nil
	}
	_ = w.file.Sync() // the next write reports a failing disk
	if err := w.begin(numberOf(w.head.File)+1, w.head, now); err != nil {
		return err
	}
	return w.prune(now)
}

// prune deletes the files above the limits, the oldest first. Before each it adds a line that says so.
func (w *ChainWriter) prune(now time.Time) error {
	names, err := files(w.root)
	if err != nil {
		return err
	}
	keep, total := len(names)-1, int64(0) // the last file stays
	for ; keep > 0; keep-- {
		info, err := w.root.Stat(names[keep-1])
		if err != nil {
			return err
		}
		first, err := w.first(names[keep-1])
		if err != nil {
			return err
		}
		if total += info.Size(); total > w.options.KeepBytes || now.Sub(first.Time) > w.options.KeepAge {
			break
		}
	}
	for i, name := range names[:keep] {
		next, err := w.first(names[i+1])
		if err != nil {
			return err
		}
		if err := w.note(note{Type: TypePruned, Time: now, File: name, Last: next.Prev}); err != nil {
			return err
		}
		if err := w.root.Remove(name); err != nil {
			return err
		}
	}
	return nil
}

// opening is the first line of a file.
type opening struct {
	link
	Time time.Time `json:"time"`
}

// first reads the first line of a file. If it is torn, the file counts as old.
func (w *ChainWriter) first(name string) (opening, error) {
	f, err := w.root.Open(name)
	if err != nil {
		return opening{}, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	return openingOf(f), nil
}

func openingOf(f *os.File) (o opening) {
	line, err := bufio.NewReader(io.NewSectionReader(f, 0, 4<<10)).ReadBytes('\n')
	if err != nil || json.Unmarshal(line, &o) != nil {
		return opening{}
	}
	return o
}

func (w *ChainWriter) note(n note) error {
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return w.write([][]byte{text})
}

// write appends entries and then writes the head.
func (w *ChainWriter) write(entries [][]byte) error {
	next := w.head
	text, hash := w.text[:0], []byte(next.Hash)
	for _, entry := range entries {
		next.Seq++
		from := len(text)
		text = append(text, `{"seq":`...)
		text = strconv.AppendInt(text, next.Seq, 10)
		text = append(text, `,"prev":"`...)
		text = append(text, hash...)
		text = append(text, `",`...)
		text = append(text, entry[1:]...)
		sum := sha256.Sum256(text[from:])
		hash = hex.AppendEncode(hash[:0], sum[:])
		text = append(text, '\n')
	}
	w.text, next.Hash = text, string(hash)
	if err := w.put(text); err != nil {
		return err
	}
	next.Size = w.head.Size
	w.head = next
	_, _ = w.headAt.WriteAt(w.head.text(), 0) // the lines are in the chain, and the next head covers them
	return nil
}

// put appends bytes to the file. After an error it removes them. If that fails too, the next
// process treats them as torn lines.
func (w *ChainWriter) put(text []byte) error {
	_, err := w.file.WriteAt(text, w.head.Size)
	if err != nil {
		return errors.Join(err, w.file.Truncate(w.head.Size))
	}
	w.head.Size += int64(len(text))
	return nil
}

// text returns the content of the head file.
func (h head) text() []byte {
	text, err := json.Marshal(h)
	if err != nil {
		panic(err) // a struct of strings and numbers always marshals
	}
	text = append(text, bytes.Repeat([]byte{' '}, headSize-1-len(text))...)
	return append(text, '\n')
}
