// Package detached keeps the events of runs that go on when their client has left, so that
// they can be read while the run goes on and after it: in files that only the user can
// read, one for each run. It is a bounded store and forgets the oldest runs that have ended.
package detached

import (
	"cmp"
	"context"
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

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/sharedfile"
)

// Bounds of the store of one user.
const (
	MostRunning = 16                 // runs that have not ended
	MostRuns    = 200                // runs of which events are kept
	MostAge     = 7 * 24 * time.Hour // since the last event
	MostTotal   = 256 << 20          // bytes of all runs
	MostBytes   = 32 << 20           // bytes of one run without its last event
)

// Store is a folder. The zero Store keeps nothing. It is safe for concurrent use, also by
// several processes.
type Store struct{ Dir string }

// errNoFolder is why a Store without folder keeps nothing.
var errNoFolder = errors.New("there is no data folder for the events of detached runs")

// runID is what ids of runs look like; no other is part of a path.
var runID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^run_[0-9a-f]{16}$`) })

const (
	eventsSuffix = ".events"
	// lockSuffix is the end of the name of a file that is locked as long as the run goes on.
	lockSuffix = ".lock"
	folderLock = "folder" + lockSuffix
)

func (s Store) events(id string) string { return filepath.Join(s.Dir, id+eventsSuffix) }
func (s Store) lock(id string) string   { return filepath.Join(s.Dir, id+lockSuffix) }

// Has reports whether the store has a run.
func (s Store) Has(id string) bool {
	if s.Dir == "" || !runID().MatchString(id) {
		return false
	}
	_, err := os.Stat(s.events(id))
	return err == nil
}

// Changed is the time of the last event of a run; zero for a run that is not there.
func (s Store) Changed(id string) (at time.Time) {
	if info, err := os.Stat(s.events(id)); err == nil {
		at = info.ModTime()
	}
	return at
}

// Create begins the events of a run. The error is Busy if MostRunning runs have not ended.
func (s Store) Create(ctx context.Context, id string) (*Log, error) {
	if s.Dir == "" {
		return nil, errNoFolder
	}
	if !runID().MatchString(id) {
		return nil, fmt.Errorf("%.50q is not the id of a run", id)
	}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return nil, err
	}
	unlock, err := sharedfile.Lock(ctx, filepath.Join(s.Dir, folderLock))
	if err != nil {
		return nil, err
	}
	defer unlock()
	if s.forget() >= MostRunning {
		return nil, &toolscript.Error{Kind: toolscript.Busy, Err: fmt.Errorf(
			"%d detached runs have not ended, which is the limit; wait for one with: toolscript runs wait RUN, or end one with: toolscript runs abort RUN", MostRunning)}
	}
	live, err := sharedfile.TryLock(s.lock(id))
	if err == nil && live == nil {
		err = fmt.Errorf("the run %s exists", id)
	}
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(s.events(id), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		live()
		return nil, err
	}
	return &Log{store: s, id: id, to: f, live: live}, nil
}

// kept is the file of one run.
type kept struct {
	id      string
	size    int64
	changed time.Time
	running bool
}

// list returns the runs, the newest first.
func (s Store) list() []kept {
	var runs []kept
	entries, _ := os.ReadDir(s.Dir) // what cannot be listed is not removed
	for _, e := range entries {
		id, isRun := strings.CutSuffix(e.Name(), eventsSuffix)
		info, err := e.Info()
		if !isRun || err != nil || !info.Mode().IsRegular() || !runID().MatchString(id) {
			continue
		}
		runs = append(runs, kept{id: id, size: info.Size(), changed: info.ModTime(), running: s.running(id)})
	}
	slices.SortFunc(runs, func(a, b kept) int { return cmp.Or(b.changed.Compare(a.changed), cmp.Compare(a.id, b.id)) })
	return runs
}

// running reports whether a process writes the events of a run.
func (s Store) running(id string) bool {
	if _, err := os.Stat(s.lock(id)); errors.Is(err, fs.ErrNotExist) {
		return false
	}
	unlock, err := sharedfile.TryLock(s.lock(id))
	if unlock != nil {
		unlock()
	}
	return err == nil && unlock == nil
}

// forget removes ended runs that are too old, and the oldest of a folder that is full. It
// returns the number of runs that have not ended.
func (s Store) forget() (running int) {
	var total int64
	for i, r := range s.list() {
		total += r.size
		switch {
		case r.running:
			running++
		case i >= MostRuns-1 || total > MostTotal-MostBytes || time.Since(r.changed) > MostAge:
			_ = os.Remove(s.events(r.id)) // another process may have been first
			_ = os.Remove(s.lock(r.id))
		}
	}
	return running
}

// Usage is what is used of the bounds.
type Usage struct {
	Running int   // runs that have not ended
	Runs    int   // with those that have
	Bytes   int64 // of their events
}

// Usage returns what is used of the bounds.
func (s Store) Usage() (u Usage) {
	if s.Dir == "" {
		return u
	}
	for _, r := range s.list() {
		u.Runs++
		u.Bytes += r.size
		if r.running {
			u.Running++
		}
	}
	return u
}
