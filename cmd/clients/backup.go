package clients

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/files"
)

// Backups keeps the earlier texts of changed files.
type Backups struct {
	Folder string // folder of the backups, below the data folder
	Now    func() time.Time
}

// maxBackups is the number of changes of one kind that are kept.
const maxBackups = 10

// journal is the record of one change.
type journal struct {
	Files []journalFile `json:"files"`
}

type journalFile struct {
	Path    string  `json:"path"`
	Root    string  `json:"root"`
	Project bool    `json:"project"`
	Format  string  `json:"format,omitempty"`
	New     bool    `json:"new"`   // the file did not exist before
	Written string  `json:"after"` // hash of the text that was written
	Added   []added `json:"added"`
}

func (f journalFile) file() File {
	return File{Path: f.Path, Root: f.Root, Project: f.Project, format: f.Format}
}

const journalName = "journal.json"

// Apply writes the files of a change, all or none, and keeps their earlier texts. It returns
// the folder of the backup. If a file has changed since it was read, the error is a Conflict.
func (b Backups) Apply(kind string, changes []*Change) (string, error) {
	unlock, err := files.LockFolder(context.Background(), b.Folder)
	if err != nil {
		return "", fmt.Errorf("no backup can be kept, so nothing was written: %w", err)
	}
	defer unlock()
	for _, c := range changes {
		now, err := read(c.File)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if !bytes.Equal(now, c.before) || (err == nil) == c.New() {
			return "", &toolscript.Error{Kind: toolscript.Conflict, Err: fmt.Errorf("%s has changed in the meantime; nothing was written, run the command again", c.File.Path)}
		}
	}
	folder, err := b.keep(kind, changes)
	if err != nil {
		return "", fmt.Errorf("no backup can be kept, so nothing was written: %w", err)
	}
	for i, c := range changes {
		if err := write(c.File, c.after); err != nil {
			for _, written := range changes[:i] {
				err = errors.Join(err, written.revert())
			}
			return "", err
		}
	}
	b.prune(kind)
	return folder, nil
}

func (c *Change) revert() error {
	if c.New() {
		return removeFile(c.File)
	}
	return write(c.File, c.before)
}

// keep writes the backup of a change.
func (b Backups) keep(kind string, changes []*Change) (string, error) {
	folder := filepath.Join(b.Folder, kind+"-"+b.Now().UTC().Format("20060102T150405.000000000"))
	if err := files.PrivateDir(folder); err != nil {
		return "", err
	}
	var j journal
	for i, c := range changes {
		j.Files = append(j.Files, journalFile{
			Path: c.File.Path, Root: c.File.Root, Project: c.File.Project, Format: c.File.format,
			New: c.New(), Written: hash(c.after), Added: c.members,
		})
		if err := files.WriteSynced(backupFile(folder, i), c.before); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(j)
	if err != nil {
		return "", err
	}
	return folder, files.WriteSynced(filepath.Join(folder, journalName), text)
}

func backupFile(folder string, i int) string {
	return filepath.Join(folder, fmt.Sprintf("%d.before", i))
}

func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// of returns the folders of the backups of a kind, the oldest first.
func (b Backups) of(kind string) []string {
	entries, err := os.ReadDir(b.Folder)
	if err != nil {
		return nil // nothing was changed yet
	}
	var out []string
	for _, entry := range entries {
		name := entry.Name()
		folder := filepath.Join(b.Folder, name)
		if at := strings.LastIndexByte(name, '-'); at > 0 && name[:at] == kind && exists(filepath.Join(folder, journalName)) {
			out = append(out, folder)
		}
	}
	return out
}

// prune deletes the oldest backups. A backup that cannot be deleted is not an error.
func (b Backups) prune(kind string) {
	folders := b.of(kind)
	for len(folders) > maxBackups {
		_ = os.RemoveAll(folders[0])
		folders = folders[1:]
	}
}

// Undo takes back the last change of a kind, and returns the paths of the files. In a file
// that was changed since, only the entries of toolscript are removed.
func (b Backups) Undo(kind string) ([]string, error) {
	unlock, err := files.LockFolder(context.Background(), b.Folder)
	if err != nil {
		return nil, err
	}
	defer unlock()
	folders := b.of(kind)
	if len(folders) == 0 {
		return nil, &toolscript.Error{Kind: toolscript.NotFound, Err: errors.New("there is nothing to undo")}
	}
	folder := folders[len(folders)-1]
	if err := files.CheckPrivateDir(folder); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(folder, journalName)) //nolint:gosec // G304: a private folder of this program
	if err != nil {
		return nil, err
	}
	var j journal
	if err := json.Unmarshal(text, &j); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(folder, journalName), err)
	}
	var paths []string
	var changes []*Change
	for i, f := range j.Files {
		c, err := f.undo(backupFile(folder, i))
		if err != nil {
			return nil, fmt.Errorf("nothing was undone: %s: %w; the earlier content is in %s", f.Path, err, backupFile(folder, i))
		}
		if c != nil {
			changes = append(changes, c)
			paths = append(paths, f.Path)
		}
	}
	for i, c := range changes {
		if err := c.commit(); err != nil {
			for _, done := range changes[:i] {
				err = errors.Join(err, write(done.File, done.before))
			}
			return nil, err
		}
	}
	return paths, os.RemoveAll(folder)
}

// commit writes the new text; if it is nil, commit deletes the file.
func (c *Change) commit() error {
	if c.after == nil {
		return removeFile(c.File)
	}
	return write(c.File, c.after)
}

// undo returns the change that takes back the change of one file, or nil if nothing is left
// of it.
func (f journalFile) undo(backup string) (*Change, error) {
	now, err := read(f.file())
	if errors.Is(err, fs.ErrNotExist) {
		if f.New {
			return nil, nil
		}
		return nil, errors.New("the file does not exist any more")
	}
	if err != nil {
		return nil, err
	}
	c := &Change{File: f.file(), before: now}
	if hash(now) != f.Written {
		c.after, err = f.without(now)
		return c, err
	}
	if f.New {
		return c, nil
	}
	c.after, err = os.ReadFile(backup) //nolint:gosec // G304: a private folder of this program
	return c, err
}

// without takes back the changed members of a file that has other changes since.
func (f journalFile) without(text []byte) ([]byte, error) {
	for _, m := range slices.Backward(f.Added) {
		var err error
		switch {
		case m.Before != nil:
			text, err = m.putBack(text)
		case m.Was:
			err = fmt.Errorf("the file has changed since, and %s had another value before", strings.Join(m.Keys, "."))
		case f.Format == tomlFile:
			text, err = removeTable(text, m.Table, m.Keys...)
		case f.Format == yamlFile:
			text, err = removeYAML(text, m.Table, m.Keys...)
		default:
			text, err = remove(text, m.Value, m.Keys...)
		}
		if err != nil {
			return nil, err
		}
	}
	return text, nil
}

// putBack returns the text with the value from before the change, unless it has changed again since.
func (m added) putBack(text []byte) ([]byte, error) {
	d, err := parse(text)
	if err != nil {
		return nil, err
	}
	before, err := parse(m.Before)
	if err != nil {
		return nil, err
	}
	now := d.root.at(m.Keys...)
	switch {
	case now != nil && reflect.DeepEqual(now.plain(), before.root.plain()):
		return text, nil
	case m.Gone && now != nil, !m.Gone && (now == nil || !reflect.DeepEqual(now.plain(), plainValue(m.Value))):
		return nil, fmt.Errorf("%s has changed since", strings.Join(m.Keys, "."))
	}
	return set(text, inOrder(before.root), m.Keys...)
}
