package workspace

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/gofrs/flock"

	"github.com/toolscript/toolscript/transport/builtin/tool"
)

// phase is the progress of a set of changes. It says how recovery treats the journal.
type phase string

const (
	staging phase = "staging" // the files of the set are being written; recovery removes them
	moving  phase = "moving"  // the files are complete; recovery moves them to their places
	undoing phase = "undoing" // the set has failed; recovery puts the old files back
)

// record is the content of the journal.
type record struct {
	Phase   phase    `json:"phase"`
	Root    string   `json:"root"`
	Stage   string   `json:"stage"` // folder in the workspace that holds the files
	Ops     []op     `json:"ops,omitempty"`
	Folders []string `json:"folders,omitempty"` // folders that the set creates, outermost first
}

// op is the change of one file. In the stage, its new content is the file N.new and its old
// content N.old, where N is its index.
type op struct {
	Path   string `json:"path"`
	Before stamp  `json:"before"`
	Remove bool   `json:"remove,omitempty"`

	after string
	mode  fs.FileMode
	exact bool // the umask does not reduce mode
	old   string
}

// step is called before each change of the disk. Tests replace it.
var step = func() {}

// journal is the journal of one workspace. This process holds its lock.
type journal struct {
	w    *tool.Workspace
	path string
	lock *flock.Flock
}

// errNoState is the error for a workspace without a folder for its journal.
var errNoState = errors.New("files cannot be changed without a data folder for the journal; name a folder of yours with --data-dir")

// open locks the journal of a workspace. It waits for other processes until ctx ends.
func open(ctx context.Context, w *tool.Workspace) (*journal, error) {
	path, err := journalPath(w)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoState, err)
	}
	lock := flock.New(path + ".lock")
	if _, err := lock.TryLockContext(ctx, 10*time.Millisecond); err != nil {
		return nil, fmt.Errorf("another change of the workspace goes on: %w", err)
	}
	return &journal{w: w, path: path, lock: lock}, nil
}

func journalPath(w *tool.Workspace) (string, error) {
	if w.StateDir == "" {
		return "", errNoState
	}
	sum := sha256.Sum256([]byte(w.Real()))
	return filepath.Join(w.StateDir, "changes", hex.EncodeToString(sum[:16])), nil
}

func (j *journal) close() {
	if err := j.lock.Close(); err != nil {
		j.w.Log(slog.LevelWarn, fmt.Sprintf("unlock the workspace: %v", err))
	}
}

// write replaces the journal atomically.
func (j *journal) write(r record) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	step()
	next := j.path + ".next"
	f, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600) //nolint:gosec // G304: a private folder of this program
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	step()
	if err := os.Rename(next, j.path); err != nil {
		return err
	}
	if dir, err := os.Open(filepath.Dir(j.path)); err == nil {
		syncFolder(dir)
	}
	return nil
}

// syncFolder waits until the entries of a folder are on disk, and closes the folder. Where the
// system cannot do that, the order of the changes depends on the file system.
func syncFolder(dir *os.File) {
	_ = dir.Sync()
	_ = dir.Close()
}

// ops returns the changes of a set: first the files to write, then the files to remove.
func (s *Set) ops() (ops []op) {
	for _, removing := range []bool{false, true} {
		for _, f := range s.files {
			if !f.changed() || (f.after == nil) != removing {
				continue
			}
			o := op{Path: f.path, Before: stampOf(f.info), Remove: removing, old: f.before}
			if !removing {
				o.after = *f.after
				o.mode, o.exact = f.permissions()
			}
			ops = append(ops, o)
		}
	}
	return ops
}

// permissions returns the permissions of the new version of a file. If exact, the umask does not reduce mode.
func (f *file) permissions() (mode fs.FileMode, exact bool) {
	switch {
	case f.moved:
		return f.mode, true
	case executable(f.mode):
		mode = 0o777
	case f.mode != 0 || f.info == nil:
		mode = 0o666
	default:
		return f.info.Mode().Perm(), true
	}
	if f.info != nil { // only the permission to execute changes
		return f.info.Mode().Perm()&^0o111 | mode&0o111&(f.info.Mode().Perm()>>2), true
	}
	return mode, false
}

// commit makes the changes. After an error, the workspace is as it was.
func (j *journal) commit(ctx context.Context, ops []op) error {
	r := record{Phase: staging, Root: j.w.Real(), Stage: ".toolscript-" + rand.Text(), Ops: ops}
	r.Folders = missingFolders(j.w, ops)
	err := j.write(r)
	if err == nil {
		err = j.stage(ctx, r)
	}
	if err != nil {
		return errors.Join(err, j.drop(r))
	}
	r.Phase = moving
	if err := j.write(r); err != nil {
		return errors.Join(err, j.drop(r))
	}
	if err := j.move(r, true); err != nil {
		r.Phase = undoing
		return errors.Join(err, j.write(r), j.undo(r))
	}
	if err := j.drop(r); err != nil {
		j.w.Log(slog.LevelWarn, fmt.Sprintf("clean up after a change: %v", err)) // the next change tries again
	}
	return nil
}

// missingFolders returns the folders of new files that do not exist yet, outermost first.
func missingFolders(w *tool.Workspace, ops []op) (folders []string) {
	known := map[string]bool{".": true}
	var visit func(string)
	visit = func(dir string) {
		if known[dir] {
			return
		}
		known[dir] = true
		visit(filepath.Dir(dir))
		if _, err := w.Root.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			folders = append(folders, dir)
		}
	}
	for _, o := range ops {
		if !o.Remove {
			visit(filepath.Dir(o.Path))
		}
	}
	return folders
}

func (r record) staged(i int) string { return filepath.Join(r.Stage, strconv.Itoa(i)+".new") }
func (r record) backup(i int) string { return filepath.Join(r.Stage, strconv.Itoa(i)+".old") }

// stage writes the new files and backs up the old ones.
func (j *journal) stage(ctx context.Context, r record) error {
	step()
	if err := j.w.Root.Mkdir(r.Stage, 0o700); err != nil {
		return tool.Explain(".", err)
	}
	for i, o := range r.Ops {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		step()
		if !o.Remove {
			if err := create(j.w.Root, r.staged(i), o.after, o.mode, o.exact); err != nil {
				return tool.Explain(o.Path, err)
			}
		}
		step()
		if err := j.keep(r, i); err != nil {
			return tool.Explain(o.Path, err)
		}
		if err := unchanged(j.w, o.Path, o.Before); err != nil {
			return err
		}
	}
	return nil
}

// keep backs up the old version of a file: as a second hard link, or as a copy if the file
// system has no hard links.
func (j *journal) keep(r record, i int) error {
	o := r.Ops[i]
	if !o.Before.Exists {
		return nil
	}
	if j.w.Root.Link(o.Path, r.backup(i)) == nil {
		return nil
	}
	return create(j.w.Root, r.backup(i), o.old, o.Before.Mode.Perm(), true)
}

// move moves the new files to their places, and skips those that an interrupted process has
// moved already. If another program has changed a file, that is an error with check;
// without check, move leaves the file as it is.
func (j *journal) move(r record, check bool) error {
	for _, dir := range r.Folders {
		step()
		if err := j.w.Root.Mkdir(dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return tool.Explain(dir, err)
		}
	}
	for i, o := range r.Ops {
		if done, err := j.done(r, i); done || err != nil {
			if err != nil {
				return err
			}
			continue
		}
		if err := unchanged(j.w, o.Path, o.Before); err != nil {
			if check {
				return err
			}
			j.w.Log(slog.LevelWarn, fmt.Sprintf("a patch was not finished for this file: %v", err))
			continue
		}
		step()
		if err := j.moveOne(r, i); err != nil {
			return tool.Explain(o.Path, err)
		}
	}
	return nil
}

func (j *journal) moveOne(r record, i int) error {
	if r.Ops[i].Remove {
		return j.w.Root.Remove(r.Ops[i].Path)
	}
	return j.w.Root.Rename(r.staged(i), r.Ops[i].Path)
}

// done reports whether change i was made already.
func (j *journal) done(r record, i int) (bool, error) {
	at := r.staged(i)
	if r.Ops[i].Remove {
		at = r.Ops[i].Path
	}
	now, err := current(j.w, at)
	return !now.Exists, err
}

// undo puts the old files back.
func (j *journal) undo(r record) error {
	for i, o := range r.Ops {
		done, err := j.done(r, i)
		if err == nil && done {
			step()
			err = j.undoOne(r, i)
		}
		if err != nil {
			return fmt.Errorf("%s could not be put back: %w", tool.Quote(o.Path), err)
		}
	}
	for i := len(r.Folders) - 1; i >= 0; i-- {
		step()
		_ = j.w.Root.Remove(r.Folders[i]) // it stays if it is not empty
	}
	return j.drop(r)
}

func (j *journal) undoOne(r record, i int) error {
	if !r.Ops[i].Before.Exists {
		err := j.w.Root.Remove(r.Ops[i].Path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	err := j.w.Root.Rename(r.backup(i), r.Ops[i].Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // an earlier process has put it back
	}
	return err
}

// drop removes the stage, then the journal.
func (j *journal) drop(r record) error {
	if r.Phase != staging {
		for _, o := range r.Ops {
			if dir, err := j.w.Root.Open(filepath.Dir(o.Path)); err == nil {
				syncFolder(dir)
			}
		}
	}
	step()
	err := j.w.Root.RemoveAll(r.Stage)
	if err != nil {
		return fmt.Errorf("remove %s: %w", tool.Quote(r.Stage), err)
	}
	step()
	return os.Remove(j.path)
}
