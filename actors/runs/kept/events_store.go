package kept

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/files"
)

// Bounds of the store of one user.
const (
	MostDetachedRunning = 16                 // runs that have not ended
	MostDetachedRuns    = 200                // stored runs
	MostEventsAge       = 7 * 24 * time.Hour // time since the last event of a run
	MostEvents          = 256 << 20          // bytes of all runs
	MostRunEvents       = 32 << 20           // bytes of one run, without its last event
)

// Events is a folder with the events of detached runs. They can be read during the run and after it. It has one file
// for each run, and removes the oldest runs that have ended. The zero Events keeps nothing. It is safe for
// concurrent use, even by several processes.
type Events struct{ Dir string }

// errNoEventsFolder is the error of an Events without a folder.
var errNoEventsFolder = errors.New("there is no data folder for the events of detached runs")

const (
	eventsSuffix = ".events"
	// lockSuffix ends the name of a file that is locked until the run ends.
	lockSuffix = ".lock"
	folderLock = "folder" + lockSuffix
)

func (s Events) events(id string) string { return filepath.Join(s.Dir, id+eventsSuffix) }
func (s Events) lock(id string) string   { return filepath.Join(s.Dir, id+lockSuffix) }

// Has reports whether the store has a run.
func (s Events) Has(id string) bool {
	if s.Dir == "" || !runID().MatchString(id) {
		return false
	}
	_, err := os.Stat(s.events(id))
	return err == nil
}

// Changed returns the time of the last event of a run; zero if the run is not stored.
func (s Events) Changed(id string) (at time.Time) {
	if info, err := os.Stat(s.events(id)); err == nil {
		at = info.ModTime()
	}
	return at
}

// Create begins the EventLog of a run. The error is Busy if MostDetachedRunning runs have not ended.
func (s Events) Create(ctx context.Context, id string) (*EventLog, error) {
	if s.Dir == "" {
		return nil, errNoEventsFolder
	}
	if !runID().MatchString(id) {
		return nil, fmt.Errorf("%.50q is not the id of a run", id)
	}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return nil, err
	}
	unlock, err := files.Lock(ctx, filepath.Join(s.Dir, folderLock))
	if err != nil {
		return nil, err
	}
	defer unlock()
	if s.forget() >= MostDetachedRunning {
		return nil, &toolscript.Error{Kind: toolscript.Busy, Err: fmt.Errorf(
			"%d detached runs have not ended, which is the limit; wait for one with: toolscript runs wait RUN, or end one with: toolscript runs abort RUN", MostDetachedRunning)}
	}
	live, err := files.TryLock(s.lock(id))
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
	return &EventLog{store: s, id: id, to: f, live: live}, nil
}

// kept is the file of one stored run.
type kept struct {
	id      string
	size    int64
	changed time.Time
	running bool
}

// list returns the runs, the newest first.
func (s Events) list() []kept {
	var runs []kept
	for _, info := range files.Newest(s.Dir, isEvents) {
		id := strings.TrimSuffix(info.Name(), eventsSuffix)
		runs = append(runs, kept{id: id, size: info.Size(), changed: info.ModTime(), running: s.running(id)})
	}
	return runs
}

// IDs returns the ids of the stored runs, the newest first.
func (s Events) IDs() (ids []string) {
	for _, run := range s.list() {
		ids = append(ids, run.id)
	}
	return ids
}

func isEvents(name string) bool {
	id, is := strings.CutSuffix(name, eventsSuffix)
	return is && runID().MatchString(id)
}

// running reports whether a process writes the events of a run.
func (s Events) running(id string) bool {
	if _, err := os.Stat(s.lock(id)); errors.Is(err, fs.ErrNotExist) {
		return false
	}
	unlock, err := files.TryLock(s.lock(id))
	if unlock != nil {
		unlock()
	}
	return err == nil && unlock == nil
}

// forget removes ended runs that are too old, and the oldest ended runs if the folder is full.
// It returns the number of runs that have not ended.
func (s Events) forget() (running int) {
	var total int64
	for i, r := range s.list() {
		total += r.size
		switch {
		case r.running:
			running++
		case i >= MostDetachedRuns-1 || total > MostEvents-MostRunEvents || time.Since(r.changed) > MostEventsAge:
			_ = os.Remove(s.events(r.id)) // another process may have been first
			_ = os.Remove(s.lock(r.id))
		}
	}
	return running
}

// EventsUsage is the use of the bounds of an Events.
type EventsUsage struct {
	Running int   // runs that have not ended
	Runs    int   // all stored runs
	Bytes   int64 // size of the events of all runs
}

// Usage returns the use of the bounds.
func (s Events) Usage() (u EventsUsage) {
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
