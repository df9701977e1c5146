package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"

	"github.com/gofrs/flock"

	"github.com/toolscript/toolscript/transport/builtin/tool"
)

// Recover finishes or undoes the changes of a process that was killed. It does nothing if
// there are no such changes, or if another process works on the workspace.
func Recover(w *tool.Workspace) error {
	path, err := journalPath(w)
	if err != nil {
		return nil // without a journal, nothing was changed
	}
	if _, err := os.Lstat(path); err != nil {
		return nil // there is no journal
	}
	lock := flock.New(path + ".lock")
	if locked, err := lock.TryLock(); !locked || err != nil {
		return err
	}
	j := &journal{w: w, path: path, lock: lock}
	defer j.close()
	return j.recover()
}

// recover finishes or undoes the set of changes in the journal.
func (j *journal) recover() error {
	text, err := os.ReadFile(j.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var r record
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil || r.Root != j.w.Real() || !strings.HasPrefix(r.Stage, ".toolscript-") {
		return fmt.Errorf("an earlier change was interrupted, and its journal %s cannot be read: %w", j.path, errors.Join(err, errForeign))
	}
	j.w.Log(slog.LevelWarn, fmt.Sprintf("an interrupted change of %d files is in the phase %q", len(r.Ops), r.Phase))
	switch r.Phase {
	case staging:
		return j.drop(r)
	case moving:
		if err := j.move(r, false); err != nil {
			return fmt.Errorf("an interrupted change cannot be finished: %w", err)
		}
		return j.drop(r)
	case undoing:
		return j.undo(r)
	default:
		return fmt.Errorf("the journal %s has the unknown phase %q", j.path, r.Phase)
	}
}

var errForeign = errors.New("it does not belong to this workspace")
